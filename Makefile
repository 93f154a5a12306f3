# make demo    set everything up and evaluate the sample collection
# make test    set everything up and run linters, types and all tests against the built wheel
# make check   linters, types, and the tests of what has changed (a minute or two)
# make nightly the tests at full size of which make test runs a small form
# make bench   speed and memory beside other tools (takes a while)
# make site    make the documentation site in build/site
# make docs    put into README and docs what their commands and examples really print
# make page PAGE=docs/formats.md  print a page with the tables that are made with the site
# make reproduction  compare the tables of docs/reproduction with what their own commands compute now; the collections are
#                not in the repository: DATA=FOLDER has them
# make changelog VERSION=0.2.0  put the fragments of changelog.d into CHANGELOG.md
# make format  put the code in shape
# make fuzz    try to break the readers, the grammar and the commands for SECONDS seconds each
# make sanitize  the core's tests with AddressSanitizer and UBSan, then with ThreadSanitizer
# make package  build the sdist and a wheel, check both, and run some tests from the sdist (TESTS=tests runs all)
# make constraints  write the newest versions of everything that the tests install into tests/constraints.txt
# make coverage  simulate how often the intervals hold the truth, and how often gates give false alarms (an hour);
#                with JUDGED=FOLDER also scores from few labels of TREC Deep Learning 2021 and two Web Tracks (some hours)
# make mutation  put small mistakes into the code and count those that the tests notice (takes an hour)
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Which versions are installed. The newest of everything: make test CONSTRAINTS=
CONSTRAINTS ?= -c tests/constraints.txt
# The tests of a file stay in one process, so that they share a site, a cluster or a browser.
PARALLEL := -n auto --dist loadfile --no-loadscope-reorder
SOURCES := $(shell find src -type f ! -name '*.so' ! -path '*__pycache__*') CMakeLists.txt pyproject.toml README.md LICENSE $(wildcard licenses/*)

.PHONY: demo test check nightly lint bench docs page changelog reproduction site format lowest constraints package fuzz sanitize coverage judged mutation clean

demo: $(VENV)/installed
	@$(BIN)/rankprism demo

# Types are checked beside the tests. Both are run to the end, and either may fail.
test: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@mkdir -p build; $(BIN)/mypy > build/mypy.txt 2>&1 & types=$$!; \
	  $(BIN)/python -m pytest $(PARALLEL) --doctest-modules --pyargs rankprism tests; tests=$$?; \
	  wait $$types; types=$$?; cat build/mypy.txt; exit $$((tests || types))

check: $(VENV)/ready
	$(BIN)/python -m tests.support.check

nightly: $(VENV)/ready
	$(BIN)/python -m pytest $(PARALLEL) -m nightly tests

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed
	$(PIP) install $(CONSTRAINTS) "$$(cat $(VENV)/wheel)[parquet,duckdb]" pandas polars pytrec-eval-terrier
	$(BIN)/python bench/run.py
	$(BIN)/python bench/boards.py
	$(BIN)/python bench/report.py
	$(BIN)/python bench/votes.py
	$(BIN)/python bench/judges.py
	$(BIN)/python bench/nightly.py
	$(PIP) install $(CONSTRAINTS) "$$(cat $(VENV)/wheel)[assess-postgres]"
	$(BIN)/python bench/assess.py

docs: $(VENV)/ready
	$(BIN)/python docs/refresh.py

page: $(VENV)/installed
	@$(BIN)/python docs/_ext/tables.py $(PAGE)

# The folder has a folder for each collection, with the names that the pages use. A release calls this, too.
DATA ?= ../shared/data
reproduction: $(VENV)/ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/python docs/reproduced.py $(DATA)

site: $(VENV)/installed
	$(PIP) install $(CONSTRAINTS) "$$(cat $(VENV)/wheel)[plots,report]" --group site
	$(BIN)/python -m sphinx -q -E -W --keep-going -b html docs build/site
	@echo "Open build/site/index.html"

changelog:
	$(PYTHON) .ci/changelog $(VERSION)

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The oldest dependencies we say we work with, in an environment of their own.
lowest: $(VENV)/wheel
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip --quiet install --upgrade "pip>=25.1"
	.venv-lowest/bin/python -m pip --quiet install -c tests/lowest.txt "$$(cat $(VENV)/wheel)[all]" --group test
	.venv-lowest/bin/python -m pytest $(PARALLEL) --doctest-modules --pyargs rankprism tests

# For every Python and system at once.
constraints: $(VENV)/tools
	$(PIP) install "uv>=0.8"
	$(BIN)/uv --quiet pip compile pyproject.toml --all-extras --group build --group test --universal --python-version 3.11 --upgrade \
	  --no-header --no-annotate --no-emit-index-url --output-file tests/constraints.txt

# The cheap tests, those of the package as a whole among them. abi3audit needs a wheel of Python 3.12 or later.
TESTS ?= tests/house/test_packaging.py tests/house/test_docs.py::test_links_lead_somewhere tests/cli/test_cli.py tests/formats/test_formats.py \
  tests/results/test_scores.py tests/core/test_tables.py
package:
	.ci/package $(PYTHON) $(TESTS)

# libFuzzer comes with clang, which Debian has.
SECONDS ?= 120
CORE := src/core
fuzz: build/fuzz/readers build/fuzz/arrow $(VENV)/ready
	mkdir -p build/fuzz/corpus build/fuzz/streams
	printf '\0011 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n2 Q0 d1 1 1.0 t\n' > build/fuzz/corpus/run
	printf '\0021 a d1 1\n1 b d2 1\n2 a d1 2\n' > build/fuzz/corpus/judgments
	cd build/fuzz && ./readers -max_total_time=$(SECONDS) -max_len=4000 -timeout=10 -print_final_stats=1 corpus
	cd build/fuzz && ./arrow -max_total_time=$(SECONDS) -max_len=2000 -timeout=10 -print_final_stats=1 streams
	$(BIN)/python fuzz/mutate.py --seconds $(SECONDS)
	fuzz/sanitize.sh address,undefined fuzz/table_files.py --seconds $(SECONDS)

build/fuzz/%: fuzz/%.cpp $(wildcard $(CORE)/*.cpp $(CORE)/*.hpp)
	command -v clang++ || apt-get install -y --no-install-recommends clang libclang-rt-14-dev
	mkdir -p build/fuzz
	clang++ -std=c++17 -g -O1 -pthread -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -o $@ $< \
	  $(CORE)/arrow.cpp $(CORE)/text.cpp $(CORE)/regroup.cpp $(CORE)/feed.cpp $(CORE)/judgments.cpp $(CORE)/run.cpp

# A core of its own for each sanitizer, beside the package's Python files; the runtime has to be there before Python.
CORE_TESTS := tests/core tests/formats/test_bad_input.py tests/formats/test_table_files.py tests/formats/test_hostile_files.py
TESTED := -m pytest -q -p no:cacheprovider
sanitize: $(VENV)/ready
	fuzz/sanitize.sh address,undefined $(TESTED) $(CORE_TESTS)
	ASAN=alloc_dealloc_mismatch=0 fuzz/sanitize.sh address,undefined $(TESTED) tests/peers/test_doors.py
	fuzz/sanitize.sh address,undefined fuzz/table_files.py --seed 1 --cases 5000
	fuzz/sanitize.sh thread $(TESTED) tests/core/test_threads.py tests/core/test_ahead.py tests/core/test_blocks.py tests/core/test_reading.py::test_threads_do_not_change_scores

# Matrix products are small here, and the cells are divided among processes.
coverage: $(VENV)/ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m simulations.coverage $(COVERAGE)
	$(if $(COVERAGE),,OPENBLAS_NUM_THREADS=1 $(BIN)/python -m simulations.alarms)
	$(if $(JUDGED),$(MAKE) judged)

# Scores from few labels, with real and made-up judges: 500 samples of each kind.
FEW_LABELS := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m simulations.judges $(JUDGED) --repetitions 500
SHARES := --share .02 .05 .1 .2
judged: $(VENV)/ready
	$(FEW_LABELS) $(SHARES) --measure 'P(rel=2)@10' 'RBP(p=0.8)' nDCG@10 ERR@10 'AP(rel=2)' \
	  --judges honest umbrela.gpt-4o binary.gpt-4o binary.llama3.2 exam-binary-mean.gpt-4o none
	$(FEW_LABELS) --measure 'P(rel=2)@10' nDCG@10 \
	  --judges constant random inverted 'half missing' 'copying a run' 'favouring a team'
	for track in web-2009 web-2012; do $(FEW_LABELS) $(SHARES) --collection $$track \
	  --measure DSharp_nDCG@20 ERR_IA@20 alpha_nDCG@20 || exit; done

# The record of what the search of `rankprism axioms` found; it takes half an hour. Only some: MEASURES="SetF RBU"
verdicts: $(VENV)/ready
	$(BIN)/python -m tests.support.verdict_record $(MEASURES)

# Stopped and started again, it goes on where it was. With MUTATION="--only survived" it tries the rest again.
mutation: $(VENV)/ready
	$(PIP) install "cosmic-ray>=8.7" "coverage>=7.6"
	PATH="$(CURDIR)/$(BIN):$$PATH" OPENBLAS_NUM_THREADS=1 nice $(BIN)/python mutation/run.py $(MUTATION)

clean:
	rm -rf $(VENV) .venv-lowest .venv-bench build dist bench/data

# Built in the environment, not in a throw-away one, so that only changed C++ files are compiled again.
$(VENV)/tools: Makefile tests/constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "rankprism needs Python 3.11 or later; $(PYTHON) is older. Try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"
	$(PIP) install $(CONSTRAINTS) --group build
	@touch $@

$(VENV)/wheel: $(VENV)/tools $(SOURCES)
	rm -rf dist
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir dist .
	@ls "$(CURDIR)"/dist/*.whl > $@

$(VENV)/installed: $(VENV)/wheel
	$(PIP) install --force-reinstall --no-deps "$$(cat $<)"
	$(PIP) install $(CONSTRAINTS) "$$(cat $<)"
	@touch $@

$(VENV)/ready: $(VENV)/installed
	$(PIP) install $(CONSTRAINTS) "$$(cat $(VENV)/wheel)[all]" --group test
	@touch $@
