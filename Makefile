# make demo and make test work on a fresh machine with Python 3.11 or newer, pip, gcc and make: nothing else is assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ADAPTERS := .venv-adapters
# processes that run tests side by side; one needs 1 GB
JOBS ?= 2
# how long make fuzz goes on, and on what: python -m fuzz --help
FUZZ ?= --seconds 120

# tests start programs by the hundred: compiled files are kept, whatever the environment says
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-slow snapshots test-adapters fuzz kills mutants lint bench docs clean

help:
	@echo "make demo    run retrievers on the bundled benchmarks, score and compare the example runs"
	@echo "make test    run the tests, but for the slow ones"
	@echo "make test-slow   run the slow ones: processes killed at any instant, whole peers; property tests with ten times the examples"
	@echo "make snapshots   write the texts that tests compare, in tests/snapshots; read the diff"
	@echo "make test-adapters   run the tests of vector stores over the real packages (installs 1.5 GB)"
	@echo "make fuzz    mutated input for every reader, saved form and endpoint, for two minutes (FUZZ='--count 1000000')"
	@echo "make kills   kill evaluations, saving, exports, caches and more at 1,000 instants; nothing may be lost (KILLS='--count 50')"
	@echo "make mutants   put faults into a copy of the sources, one at a time, and see which the tests notice (MUTANTS='--area stats')"
	@echo "make lint    ruff and mypy"
	@echo "make bench   time assay against pytrec_eval on seeded data (a few minutes)"
	@echo "make docs    write the generated reference pages"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY)
	$(BIN)/assay eval --benchmarks rag-template --providers bm25 dense "hybrid(bm25, dense)" --metrics ndcg@10 recall@10 mrr
	$(BIN)/assay score examples/qrels.txt examples/bm25.run examples/dense.run examples/hybrid.run -m ndcg@10 map mrr@10 recall@100
	$(BIN)/assay score examples/qrels.txt examples/dense.run --sort ndcg@10 --per-query -m ndcg@10 mrr relstring --format csv | head -6
	$(BIN)/assay compare examples/qrels.txt examples/bm25.run examples/dense.run examples/hybrid.run -m ndcg@10 map
	$(BIN)/assay eval --benchmarks hpo-en --providers bm25 tfidf_chars dense hybrid --metrics mrr hit@10 max_ont_sim@10
	$(BIN)/assay metrics ndcg

test: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

snapshots: $(READY)
	touch tests/snapshots/.began
	ASSAY_SNAPSHOTS=write $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal
	find tests/snapshots -type f ! -newer tests/snapshots/.began -print -delete

test-slow: $(READY)
	ASSAY_TEST_EXAMPLES=$${ASSAY_TEST_EXAMPLES:-150} $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "slow or hypothesis"

$(ADAPTERS)/.ready: pyproject.toml tests/providers/adapters/requirements.txt
	$(PYTHON) -m venv $(ADAPTERS)
	$(ADAPTERS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dense]' \
		'pytest>=8.2' 'hypothesis>=6.100' 'pytest-xdist>=3.6' -r tests/providers/adapters/requirements.txt
	@touch $@

test-adapters: $(ADAPTERS)/.ready
	ASSAY_TEST_REQUIRE=adapters $(ADAPTERS)/bin/python -m pytest tests/providers/adapters

kills: $(READY)
	$(BIN)/python -m kills --jobs $(JOBS) $(KILLS)

fuzz: $(READY)
	$(BIN)/python -m fuzz --jobs $(JOBS) $(FUZZ)

build/mutants/recording/tests.json: | $(READY)
	$(BIN)/python -m tools.mutants record --jobs $(JOBS)

mutants: $(READY) build/mutants/recording/tests.json
	$(BIN)/python -m tools.mutants run --jobs $(JOBS) $(MUTANTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks

docs: $(READY)
	$(BIN)/python -m docs.generate

clean:
	rm -rf $(VENV) $(ADAPTERS) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
