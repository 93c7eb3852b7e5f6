# Every target does its own set-up: it needs Python 3.11 or newer, pip and make, nothing else.
# Another Python:          make test PYTHON=python3.12
# The newest dependencies: make test CONSTRAINTS=/dev/null
# The oldest dependencies: .ci/lowest >lowest.txt; make test CONSTRAINTS=lowest.txt

PYTHON ?= python3
CONSTRAINTS ?= constraints.txt
VENV   := .venv
BIN    := $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) --editable
PINS   := pyproject.toml $(CONSTRAINTS)
# More than a small machine has cores: tests of the page and of servers wait much of the time.
JOBS   ?= 3
CORE   := tests/kernels tests/learners tests/checks tests/explanations tests/proposals tests/domains tests/loaders $(wildcard tests/test_*.py)
COVERED := src/coactor/protocol/*,src/coactor/kernels/*,src/coactor/learners/*,src/coactor/domains/*,src/coactor/proposals/*,src/coactor/solutions.py,src/coactor/validation.py,src/coactor/search.py,src/coactor/corrections.py,src/coactor/experts.py,src/coactor/explanations/*,src/coactor/bounds.py,src/coactor/checks/*,src/coactor/rounds.py,src/coactor/session.py

# The tests start many processes; without stored bytecode each compiles every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help reproduce test check lint lint-python lint-js coverage docs serve bench clean

help:
	@echo "make reproduce   the paper's experiments: figure, tables, report"
	@echo "make test        all tests"
	@echo "make check       linters, types, import directions, all tests, coverage of the core, documentation"
	@echo "make docs        the documentation site, in build/docs/index.html"
	@echo "make serve       the service and its page on this machine"
	@echo "make bench       speed, as ratios"
	@echo "make clean       remove everything make has made"

reproduce: $(VENV)/.plain
	$(BIN)/coactor reproduce

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

check: lint test coverage docs

lint: lint-python lint-js

lint-python: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The page has no build step, so only its checks need Node. Machines without npm leave them out.
lint-js:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.made && npm run --silent lint; \
	else echo "npm is not installed: the checks of the JavaScript are left out"; fi

# Compiled loops leave no trace for coverage, so here the kernels run as the plain Python they are written in.
coverage: $(VENV)/.test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not compiled" $(CORE) --cov=coactor --cov-report=
	$(BIN)/coverage report --skip-covered --show-missing --fail-under=95 --include="$(COVERED)"

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs build/docs
	@echo "Open build/docs/index.html."

serve: $(VENV)/.serve
	$(BIN)/coactor serve --try

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/core.py

clean:
	rm -rf $(VENV) node_modules build dist results mutants docs/reference/generated
	rm -rf .coverage htmlcov .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests docs -name __pycache__ -type d -exec rm -rf {} +

# -- set-up: a stamp says what is installed, so that a second call starts at once --

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "coactor needs Python 3.11 or newer; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV) || { $(PYTHON) -m venv --clear --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	touch $@

node_modules/.made: package.json .npmrc
	npm install --silent
	touch $@

$(VENV)/.plain: $(VENV)/.made $(PINS)
	$(INSTALL) .
	touch $@

$(VENV)/.serve: $(VENV)/.made $(PINS)
	$(INSTALL) '.[serve]'
	touch $@

$(VENV)/.test: $(VENV)/.made $(PINS)
	$(INSTALL) '.[all,test]'
	touch $@

$(VENV)/.check: $(VENV)/.made $(PINS)
	$(INSTALL) '.[all,test,check]'
	touch $@

$(VENV)/.docs: $(VENV)/.made $(PINS)
	$(INSTALL) '.[all,docs]'
	touch $@

$(VENV)/.bench: $(VENV)/.made $(PINS)
	$(INSTALL) '.[bench]'
	touch $@
