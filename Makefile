.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes
export PYTHONPATH := $(CURDIR)
# Tests start many processes, each of which would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo serve test check check-types check-schema check-style check-imports bench docs types lock clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

demo: $(VENV)/installed ## the main job on our own corpus; leaves the service running (ONCE=1 ends instead)
	@$(BIN)/credence demo $(if $(ONCE),--once)

serve: $(VENV)/installed ## the service, with jobs and schedules, in one process
	@$(BIN)/credence serve --all

# One of the tests is what `check-schema` checks.
test: $(VENV)/complete ## every check, then every test
	@$(MAKE) --no-print-directory --jobs 3 check-types check-style check-imports
	@$(BIN)/python -m pytest

check: $(VENV)/complete ## lint, strict types, architecture rules, models equal migrations
	@$(MAKE) --no-print-directory --jobs 3 check-types check-schema check-style check-imports

check-types:
	@$(BIN)/mypy

check-schema:
	@$(BIN)/credence migrate check

check-style:
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

check-imports:
	@$(BIN)/lint-imports --no-logo

bench: $(VENV)/benchmarks ## every benchmark in its quick form; see benchmarks/RESULTS.md
	@$(BIN)/python -m benchmarks --quick

docs: $(VENV)/installed ## write the tables of the documentation and the excerpt of the demo anew
	@$(BIN)/python -m api.reference
	@data=$$(mktemp -d) && COLUMNS=80 CREDENCE_DATA_DIR=$$data $(BIN)/credence demo --once | $(BIN)/python -m api.demo.excerpt

types: $(VENV)/installed ## write the types of the HTTP interface for TypeScript, api/client/credence.d.ts (needs npm)
	@npm install --silent --prefix tests/clients
	@$(BIN)/python -c 'import json; from api.app import documented_app; from registry.platform.settings import Settings;\
		print(json.dumps(documented_app(Settings()).openapi()))' | tests/clients/node_modules/.bin/openapi-typescript \
		--default-non-nullable=false > api/client/credence.d.ts

lock: $(VENV)/installed ## pin the versions of all packages anew, from pyproject.toml
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		pyproject.toml --extra local --extra tracing --group dev --output-file requirements/main.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		pyproject.toml --extra tracing --constraint requirements/main.lock --output-file requirements/serve.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		pyproject.toml --group bench --constraint requirements/main.lock --output-file requirements/bench.lock

clean: ## forget the virtual environment
	@rm -rf $(VENV)

# What the service needs; `complete` adds what checks and tests need.
$(VENV)/installed: requirements/serve.lock pyproject.toml
	@echo "Setting up $(VENV): the first time this downloads about 190 MB"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --requirement requirements/serve.lock
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --editable .
	@touch $@

$(VENV)/complete: $(VENV)/installed requirements/main.lock
	@echo "Adding what checks and tests need: the first time this downloads about 290 MB"
	@$(PIP) --requirement requirements/main.lock
	@touch $@

$(VENV)/benchmarks: $(VENV)/complete requirements/bench.lock
	@$(PIP) --requirement requirements/bench.lock
	@touch $@
