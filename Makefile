# make demo and make test work on a fresh machine with Python 3.11 or newer, pip and make. The tests also need gcc.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# what make demo needs, and what everything else needs
DEMO := $(VENV)/.demo
READY := $(VENV)/.ready
ADAPTERS := .venv-adapters
INSTALL := -m pip install --quiet --disable-pip-version-check
# number of test processes; each needs 1 GB
JOBS ?= 2
# how long make fuzz runs, and on what: python -m fuzz --help
FUZZ ?= --seconds 120

# tests start hundreds of programs: compiled files are kept, whatever the environment says
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-slow snapshots test-adapters fuzz kills mutants lint bench docs clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | awk -F '\t' '{printf "make %-14s %s\n", $$1, $$2}'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) --constraint constraints.txt --editable '.[dense,report]'
	@touch $@

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(DEMO)

demo: $(DEMO) ## run three retrievers, score and compare run files, and write report.html (under 90 seconds)
	$(BIN)/assay eval --benchmarks rag-template --providers bm25 dense "hybrid(bm25, dense)" --metrics ndcg@10 recall@10 mrr
	$(BIN)/assay score examples/qrels.txt examples/bm25.run examples/dense.run examples/hybrid.run -m ndcg@10 map mrr@10 recall@100
	$(BIN)/assay compare examples/qrels.txt examples/bm25.run examples/dense.run examples/hybrid.run -m ndcg@10 map
	$(BIN)/assay report latest -o report.html
	@echo
	@echo "Open report.html in a browser. To use the command yourself: . .venv/bin/activate"

test: $(READY) ## run the tests, without the slow ones
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

snapshots: $(READY) ## write the texts that tests compare again, in tests/snapshots and in the pages; read the diff
	touch tests/snapshots/.began
	ASSAY_SNAPSHOTS=write $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal
	find tests/snapshots -type f ! -newer tests/snapshots/.began -print -delete

test-slow: $(READY) ## run the slow tests, and the property tests with ten times the examples
	ASSAY_TEST_EXAMPLES=$${ASSAY_TEST_EXAMPLES:-150} $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "slow or hypothesis"

$(ADAPTERS)/.ready: pyproject.toml tests/providers/adapters/requirements.txt
	$(PYTHON) -m venv $(ADAPTERS)
	$(ADAPTERS)/bin/python $(INSTALL) --editable '.[dense]' \
		'pytest>=8.2' 'hypothesis>=6.100' 'pytest-xdist>=3.6' -r tests/providers/adapters/requirements.txt
	@touch $@

test-adapters: $(ADAPTERS)/.ready ## test the vector stores with the real packages (installs 1.5 GB)
	ASSAY_TEST_REQUIRE=adapters $(ADAPTERS)/bin/python -m pytest tests/providers/adapters

kills: $(READY) ## kill evaluations, saves, exports and caches at 1,000 points, and check that nothing is lost (KILLS='--count 50')
	$(BIN)/python -m kills --jobs $(JOBS) $(KILLS)

fuzz: $(READY) ## give mutated input to every reader and endpoint for two minutes (FUZZ='--count 1000000')
	$(BIN)/python -m fuzz --jobs $(JOBS) $(FUZZ)

build/mutants/recording/tests.json: | $(READY)
	$(BIN)/python -m tools.mutants record --jobs $(JOBS)

mutants: $(READY) build/mutants/recording/tests.json ## put faults into a copy of the source, one at a time, and list those that no test notices (MUTANTS='--area stats')
	$(BIN)/python -m tools.mutants run --jobs $(JOBS) $(MUTANTS)

lint: $(READY) ## run ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY) ## time assay against pytrec_eval on seeded data (a few minutes)
	$(BIN)/python -m benchmarks

docs: $(READY) ## write the generated reference pages
	$(BIN)/python -m docs.generate

clean: ## delete the environments and all caches
	rm -rf $(VENV) $(ADAPTERS) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
