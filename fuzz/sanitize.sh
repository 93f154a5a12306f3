#!/bin/sh
# sanitize.sh SANITIZERS WORD...: build the core with these sanitizers and run Python with it and these words.
set -eu
sanitizers=$1
shift
name=$(echo "$sanitizers" | tr ',' '-')
folder=build/sanitize/$name
mkdir -p build/sanitize
python=.venv/bin/python
.venv/bin/cmake -G Ninja -S . -B "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_MAKE_PROGRAM="$PWD/.venv/bin/ninja" -DPython_EXECUTABLE="$PWD/$python" -DSKBUILD_SABI_VERSION= \
  -Dnanobind_DIR="$($python -m nanobind --cmake_dir)" \
  -DCMAKE_CXX_FLAGS="-fsanitize=$sanitizers -fno-omit-frame-pointer -fno-sanitize-recover=undefined -D_GLIBCXX_ASSERTIONS" \
  -DCMAKE_MODULE_LINKER_FLAGS="-fsanitize=$sanitizers" > "$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
.venv/bin/cmake --build "$folder" --target _core
rm -rf "$folder/package"
mkdir -p "$folder/package"
cp -r src/rankprism "$folder/package/"
rm -f "$folder"/package/rankprism/_core*.so
cp "$folder"/_core*.so "$folder/package/rankprism/"
case $sanitizers in
  thread) preloaded=$(g++ -print-file-name=libtsan.so) ;;
  *) preloaded="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" ;;  # to see exceptions
esac
# Python never frees what it keeps to its end, so leaks are not looked for; numpy is not built for ThreadSanitizer.
# pytrec_eval frees what it got from new, so a test beside it sets ASAN=alloc_dealloc_mismatch=0.
# ThreadSanitizer wants its own parts of the address space, so addresses must not be random.
setarch "$(uname -m)" -R env LD_PRELOAD="$preloaded" \
ASAN_OPTIONS="detect_leaks=0:${ASAN:-}" TSAN_OPTIONS="report_bugs=1 halt_on_error=1 suppressions=$PWD/fuzz/tsan.txt" UBSAN_OPTIONS=print_stacktrace=1 \
PYTHONPATH="$folder/package" RANKPRISM_SANITIZED=1 $python "$@"
