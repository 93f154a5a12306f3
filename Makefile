# make demo    set everything up and evaluate the sample collection
# make test    set everything up and run linters, types and all tests against the built wheel
# make bench   speed and memory beside other tools (takes a while)
# make docs    put into README and docs what their commands and examples really print
# make format  put the code in shape
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := $(shell find src -type f ! -name '*.so' ! -path '*__pycache__*') CMakeLists.txt pyproject.toml README.md LICENSE

.PHONY: demo test lint bench docs format lowest clean

demo: $(VENV)/installed
	@$(BIN)/rankprism demo

test: $(VENV)/ready lint
	$(BIN)/python -m pytest --doctest-modules --pyargs rankprism tests

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed
	$(BIN)/python bench/run.py

docs: $(VENV)/installed
	$(BIN)/python docs/refresh.py

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The oldest dependencies we say we work with, in an environment of their own.
lowest: $(VENV)/wheel
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip --quiet install "$$(cat $(VENV)/wheel)[test]" -c tests/lowest.txt
	.venv-lowest/bin/python -m pytest --doctest-modules --pyargs rankprism tests

clean:
	rm -rf $(VENV) .venv-lowest .venv-bench build dist bench/data

# Built in the environment, not in a throw-away one, so that only changed C++ files are compiled again.
$(VENV)/tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "rankprism needs Python 3.11 or later; $(PYTHON) is older. Try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install "scikit-build-core>=0.10" "nanobind>=2.2" cmake ninja
	@touch $@

$(VENV)/wheel: $(VENV)/tools $(SOURCES)
	rm -rf dist
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir dist .
	@ls $(CURDIR)/dist/*.whl > $@

$(VENV)/installed: $(VENV)/wheel
	$(PIP) install --force-reinstall --no-deps "$$(cat $<)"
	$(PIP) install "$$(cat $<)"
	@touch $@

$(VENV)/ready: $(VENV)/installed
	$(PIP) install "$$(cat $(VENV)/wheel)[test]"
	@touch $@
