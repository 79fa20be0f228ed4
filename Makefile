# `make run` starts Lucid, `make test` proves it. Everything lives in .venv and in LUCID_HOME (~/.lucid).
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

BIN := .venv/bin
SOURCES := benchmarks compaction inspector memory sessions tests manage.py
# What checks the code needs settings, but must not touch the data of the person who runs it.
CHECK_HOME := $(CURDIR)/build/home
# The client that exports are held against; `make interop CLIENT=latest` takes another.
CLIENT := 2.1.325
# Whatever the environment says: without bytecode every start and every process that runs tests would compile all anew.
export PYTHONDONTWRITEBYTECODE :=
# Two targets beside each other; what a line prints stays together.
BESIDE := $(MAKE) --no-print-directory --jobs 2 --output-sync=line
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# The extras are in the lock files, so that `make run` is quick and `make test` tries all. UPGRADE= keeps versions that fit.
UPGRADE := --upgrade
COMPILE := $(BIN)/uv pip compile --quiet $(UPGRADE) --python-version 3.11 --all-extras --generate-hashes --no-header --no-annotate

.PHONY: help run demo test postgres services services-quick attack faults load long slow interop truth truth-recordings yardstick lint types style layers \
  migrations format bench screenshots docs lock wheel clean packages compiled-tests

help: ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

run: .venv/installed ## start Lucid on http://127.0.0.1:8765/ (Ctrl-C stops it)
	@exec $(BIN)/lucid serve

demo: .venv/installed ## the same with the built-in demo sessions and a home of its own
	@LUCID_HOME="$${LUCID_HOME:-$$HOME/.lucid-demo}" exec $(BIN)/lucid serve --demo

# Browsers come after the others: they are impatient. Many tests wait for servers, so there is one more than processors.
test: ## everything that is needed, then all checks and the tests (fifteen minutes on two cores)
	@$(BESIDE) .venv/installed-dev packages
	@$(BESIDE) lint compiled-tests
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder -m "not long" --ignore tests/e2e --ignore tests/postgres
	$(BIN)/python -m tests.on_services -n auto --dist loadfile $(SERVICES_QUICK)
	$(BIN)/pytest -n 3 --dist loadfile -m "not long" tests/e2e

attack: .venv/installed-dev packages ## a hostile neighbour, in full: prints what was tried and what got through (ten minutes)
	$(BIN)/python -m tests.attack

postgres: .venv/installed-dev packages ## the same answers and imports from a real PostgreSQL (two minutes)
	$(BIN)/pytest tests/postgres

# What these tests do on files, on servers; SERVICES=tests/sessions/timeline/views takes others.
SERVICES := tests/test_once.py $(wildcard tests/*/*/services) $(wildcard tests/*/*/test_services.py) $(wildcard tests/*/*/views) \
  $(wildcard tests/*/*/test_views.py) $(wildcard tests/*/management) \
  $(wildcard tests/sessions/test_*.py) tests/inspector/test_backends.py tests/postgres
# A minute of it, in which imports, runs, captures and memory are written and two servers share a database.
SERVICES_QUICK := tests/test_once.py tests/sessions/imports/services/test_sync.py tests/sessions/capture/services/test_captures.py \
  tests/inspector/runs/services tests/memory/files/services/test_writing.py \
  tests/postgres/test_two_servers.py tests/postgres/test_shared_import.py

services: .venv/installed-dev packages ## services, views, commands and imports on a real PostgreSQL and a real Redis (ten minutes)
	$(BIN)/python -m tests.on_services -n auto --dist loadfile $(SERVICES)

services-quick: .venv/installed-dev packages ## a part of that, which `make test` runs too (a minute)
	$(BIN)/python -m tests.on_services -n auto --dist loadfile $(SERVICES_QUICK)

# FAULTS="kills --kills 400" takes a part, and more of it; see `python -m tests.faults --help`.
FAULTS :=

faults: .venv/installed-dev packages ## kills, failing writes, full disks, restarts: one table of what was lost (an hour)
	$(BIN)/python -m tests.faults $(FAULTS)

long: .venv/installed-dev packages ## tests that take long: servers under load, walks over all pages and samples, full disks, each Python that is here (half an hour)
	$(BIN)/pytest -n auto --dist load -m long

slow: .venv/installed-dev ## properties, tried on thousands of examples (half an hour)
	LUCID_EXAMPLES="$${LUCID_EXAMPLES:-2000}" $(BIN)/pytest -n auto --dist load -m slow

interop: .venv/installed-dev build/interop/$(CLIENT) ## exports resumed by the real client, which is installed into build/ (a minute)
	LUCID_TEST_CLAUDE="$(CURDIR)/build/interop/node_modules/.bin/claude" $(BIN)/pytest -m interop tests/interop

# CLIENTS="2.1.20 latest" takes other versions, CLIENT=latest that alone, TRUTH="--scenarios tools resume" a part of the
# scenarios.
CLIENTS := $(if $(filter command environment,$(origin CLIENT)),$(CLIENT))
TRUTH :=

truth: .venv/installed-dev ## what versions of the real client sent, held against what Lucid says; one table (half an hour)
	$(BIN)/python -m tests.truth $(if $(CLIENTS),--clients $(CLIENTS)) $(TRUTH)

truth-recordings: .venv/installed-dev ## what `make truth` left, recorded in tests/truth/recordings without the client's own texts
	$(BIN)/python -m tests.truth --again --recordings $(if $(CLIENTS),--clients $(CLIENTS))
	$(BIN)/pytest tests/truth

yardstick: .venv/installed-dev ## compactions made here, held against those of the real client; one table by kind and version
	$(BIN)/python -m tests.compaction.yardstick

lint: types style layers migrations ## style, types, layers, templates, migrations

types: .venv/installed-dev ## a part of lint: the types
	LUCID_HOME="$(CHECK_HOME)" $(BIN)/mypy

style: .venv/installed-dev ## a part of lint: style of code, templates and stylesheets
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	git ls-files -co --exclude-standard -z -- '*/templates/*.html' 'templates/*.html' | xargs -0 -r $(BIN)/djade --target-version 5.2 --check
	$(BIN)/python -m tests.layout

layers: .venv/installed-dev ## a part of lint: who may import whom
	LUCID_HOME="$(CHECK_HOME)" $(BIN)/lint-imports

migrations: .venv/installed-dev ## a part of lint: whether models and migrations agree
	LUCID_HOME="$(CHECK_HOME)" DATABASE_URL= $(BIN)/python manage.py makemigrations --check --dry-run

# Once, while the types are looked at, and not by each of the processes that run tests.
compiled-tests: .venv/installed-dev ## a part of test: compile all tests and see that they are found
	@mkdir -p build
	@$(BIN)/pytest --collect-only -q >build/collected.log || { cat build/collected.log; exit 1; }

format: .venv/installed-dev ## put the code into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	git ls-files -co --exclude-standard -z -- '*/templates/*.html' 'templates/*.html' | xargs -0 -r $(BIN)/djade --target-version 5.2

bench: .venv/installed-dev ## measure, and print the table
	$(BIN)/python -m benchmarks

load: .venv/installed-dev ## a hundred readers beside an import, then clients that mean harm; print the table (five minutes)
	$(BIN)/python -m benchmarks.load

screenshots: .venv/installed-dev ## take the pictures of docs/screenshots/ anew
	$(BIN)/python -m tests.e2e.screenshots

docs: .venv/installed-dev ## write docs/commands.md from the help texts of the commands
	$(BIN)/python -m tests.command_reference --write

lock: .venv/installed-dev ## choose the versions anew, within pyproject.toml (UPGRADE= keeps those that still fit)
	$(BIN)/uv --version >/dev/null 2>&1 || $(PIP) install --quiet uv
	$(COMPILE) --output-file requirements.lock pyproject.toml
	$(COMPILE) --group dev --output-file requirements-dev.lock pyproject.toml

wheel: .venv/installed-dev ## the wheel and the source distribution of this version, in dist/
	@rm -rf dist; mkdir -p build
	$(BIN)/python -P -m build --no-isolation --outdir dist . >build/wheel.log 2>&1 || { tail -n 20 build/wheel.log; exit 1; }
	@ls dist

clean: ## remove what was made here; data in LUCID_HOME stays
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .grimp_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The newest of python3.11 and up; each sentence says what to install when something is missing.
.venv/bin/python:
	@for python in python3.13 python3.12 python3.11 python3; do \
	  if command -v $$python >/dev/null && $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$${found:-}" ]; then echo "Lucid needs Python 3.11 or newer; install python3 (Debian: apt-get install python3 python3-venv)." >&2; exit 1; fi; \
	if ! $$found -c 'import ensurepip, venv' 2>/dev/null; then echo "Python's venv module is missing; install it (Debian: apt-get install python3-venv)." >&2; exit 1; fi; \
	echo "Making .venv with $$found ..."; $$found -m venv .venv

.venv/installed: requirements.lock pyproject.toml | .venv/bin/python
	@echo "Installing what Lucid needs (once) ..."
	@$(PIP) install --quiet --no-compile --require-hashes -r requirements.lock
	@$(PIP) install --quiet --no-compile --no-deps --config-settings editable_mode=compat --editable .
	@LUCID_HOME="$(CHECK_HOME)" $(BIN)/python -c 'import inspector.asgi, inspector.urls; from inspector.cli import run; run(["help"])' >/dev/null
	@touch $@

.venv/installed-dev: requirements-dev.lock .venv/installed
	@echo "Installing what the tests need (once) ..."
	@$(PIP) install --quiet --no-compile --require-hashes -r requirements-dev.lock
	@touch $@

build/interop/$(CLIENT):
	@command -v npm >/dev/null || { echo "npm is missing; install it (Debian: apt-get install npm)." >&2; exit 1; }
	@echo "Installing @anthropic-ai/claude-code@$(CLIENT) (once) ..."
	@rm -rf build/interop; mkdir -p build/interop
	@npm install --silent --no-fund --no-audit --no-save --prefix build/interop @anthropic-ai/claude-code@$(CLIENT)
	@touch $@

# Programs that some tests drive. Without them those tests are skipped, and say so.
packages: ## the programs that some tests drive; as root on Debian they are installed
	@mkdir -p build
	@missing=(); \
	command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || missing+=(chromium-headless-shell); \
	command -v redis-server >/dev/null || missing+=(redis-server); \
	command -v rg >/dev/null || missing+=(ripgrep); \
	{ command -v postgres || ls /usr/lib/postgresql/*/bin/postgres; } >/dev/null 2>&1 || missing+=(postgresql); \
	if [ $${#missing[@]} -eq 0 ]; then exit 0; fi; \
	if [ "$$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then \
	  echo "Not installed: $${missing[*]}. The tests that need them will be skipped."; exit 0; fi; \
	echo "Installing $${missing[*]} ..."; \
	export DEBIAN_FRONTEND=noninteractive; \
	install=(apt-get -qq install -y --no-install-recommends); \
	{ apt-get -qq update && { "$${install[@]}" "$${missing[@]}" || "$${install[@]}" "$${missing[@]/chromium-headless-shell/chromium}"; }; } \
	  </dev/null >build/packages.log 2>&1 \
	  || { tail -n 3 build/packages.log; echo "Could not install $${missing[*]}. The tests that need them will be skipped."; }
