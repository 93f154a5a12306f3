"""The command line without the time that it takes to start.

Starting Python and importing numpy takes half a second, and the tests call the command hundreds of times.
Here one process has imported everything. For each call it forks, and the child gets the arguments, the
folder, the environment and the standard streams of the caller. So each call has a process of its own. What a
shell or `subprocess` runs instead of `rankprism` is a small client.

At its end, a child waits for its threads, calls what is registered for the end, and looks for garbage, so
that tests see what destructors print. It cannot end as the interpreter does, which also frees all modules:
tests do not see what a compiled library prints then, such as nanobind's warnings of leaks. Nor do they see
what is printed while modules are loaded, because they have been loaded before. tests/cli/test_quiet.py runs
until the interpreter has ended instead, and so do the tests about starting, stopping, signals and encodings.

The program `refresh` beside it prints a page of the documentation as docs/refresh.py would write it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
#: fork is safe here only if no imported library has started threads that hold locks.
POSSIBLE = sys.platform == "linux" and hasattr(os, "fork")

# It sends its arguments, its folder, its environment and its standard streams, and exits as the command does.
# If the command crashes, no exit code comes back.
CLIENT = """\
#!{python} -IS
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
words = [os.getcwdb(), b"%d" % len(sys.argv), *map(os.fsencode, sys.argv)]
words += [name + b"=" + value for name, value in os.environb.items()]
data = b"\\0".join(words)
socket.send_fds(server, [b"%20d" % len(data)], [0, 1, 2])
server.sendall(data)
sys.exit(int(server.recv(8) or 70))
"""


@contextmanager
def serving() -> Iterator[Path]:
    """A folder with the program `rankprism`, for as long as the process behind it is there."""
    with tempfile.TemporaryDirectory(prefix="warm") as folder:
        address = f"{folder}/socket"
        for name in ("rankprism", "refresh"):
            program = Path(folder, name)
            program.write_text(CLIENT.format(python=sys.executable, address=address))
            program.chmod(0o755)
        environment = os.environ | {"PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, __file__, address]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            server.stdout.readline()  # it is ready
            yield Path(folder)
            server.kill()


def serve(address: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        import_everything()
        gc.freeze()  # children look for garbage at their end, but not among all modules
        print("ready", flush=True)
        while True:
            caller, _ = door.accept()
            with caller:
                if os.fork() == 0:
                    answer(caller)


def import_everything() -> None:
    import rankprism

    # ir_measures changes what the package of this name computes. The last two are no modules to import.
    left_out = ("ir_measures", "spark", "assess.migrations", "__main__")
    package = Path(rankprism.__file__).parent
    for path in sorted(package.rglob("*.py")):
        name = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
        if name != "__init__" and not name.startswith(left_out):
            importlib.import_module(f"rankprism.{name}")
    sys.path.append(str(DOCS))
    for heavy in ("altair", "scipy.stats", "vl_convert", "refresh"):
        importlib.import_module(heavy)


def answer(caller: socket.socket) -> None:
    """Be the program, and tell the caller how it ended."""
    import refresh

    from rankprism.cli import main

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(caller, 20, 3)
    with caller.makefile("rb") as file:
        folder, count, *words = file.read(int(size)).split(b"\0")
    sys.argv = [os.fsdecode(word) for word in words[: int(count)]]
    os.environb.clear()
    os.environb.update(word.partition(b"=")[::2] for word in words[int(count) :])
    os.chdir(folder)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    # The present ones remember what the streams of this process could do.
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    code = 1
    try:
        if Path(sys.argv[0]).name == "refresh":
            print(refresh.refreshed(*map(Path, sys.argv[1:])), end="", flush=True)
            code = 0
        else:
            main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        gc.collect()
        sys.stderr.flush()
        caller.sendall(b"%d" % code)
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
