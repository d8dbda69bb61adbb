# `make` without a target prints the list of targets. Only git, make and the Swift toolchain must be installed manually.

DATA ?= ./till-data
SOURCES := Sources Tests Package.swift Benchmarks/Package.swift Benchmarks/Sources

.DEFAULT_GOAL := help
.PHONY: help run build test check test-swift test-python test-cluster test-release soak bench bench-full bench-build \
	dist format docs reference hops lint picture record-surface clean

help: ## print this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1\t\2/' | expand -t 20

run: ## install what is missing, build, and start Till with the demo shop (DATA=./till-data)
	@scripts/install
	swift build --product till
	@exec .build/debug/till serve --demo --data $(DATA)

build: ## install what is missing and build
	@scripts/install
	swift build

test: ## install what is missing, then lint, build and run all tests, with the time each part took
	@scripts/test

check: ## lint, build, and test what changed since main, in under three minutes
	@scripts/check

test-swift: ## only the Swift tests
	@scripts/test swift

test-python: ## only the Python tests, against the built server
	@scripts/test python

test-cluster: ## kill nodes thirty times; fail over a Patroni cluster under load (installs Patroni and etcd)
	@scripts/test cluster

soak: ## the long runs: 10,000 random workloads, crashes under load, ten minutes of mixed load (TILL_SOAK_SECONDS=600)
	@scripts/test soak

bench: bench-build ## this machine's limits beside Till's figures, as ratios (BENCH='--only history --quick'; --help)
	@$(MEASURE) $(or $(BENCH),--json Benchmarks/results/$$(dist/till --version).json)

bench-full: bench-build ## the same with ten million transactions and 100,000 subscribers
	@$(MEASURE) --full $(or $(BENCH),--json Benchmarks/results/$$(dist/till --version)-full.json)

MEASURE := exec Benchmarks/.build/release/till-bench

# The benchmarks are a separate package, with the dependency versions of Till.
bench-build:
	@scripts/install bench
	@scripts/dist build
	@cp Package.resolved Benchmarks/Package.resolved
	swift build -c release --package-path Benchmarks

dist: ## what a release consists of, in dist/: tarball, Debian package, Python wheel, npm package, Docker context
	@scripts/dist

test-release: ## make dist, then install each file in a clean Debian root or environment (as root)
	@scripts/test release

format: ## rewrite the sources in the format of .swift-format
	swift format --in-place --recursive $(SOURCES)

docs: ## the documentation as a site with search, and the reference of the library AppStoreServer (.build/docs)
	@scripts/install docs
	swift build
	@scripts/docs

reference: ## write the parts of docs/ that the code provides: commands, settings, metrics, control API
	swift build --product till
	@python3 scripts/site/reference.py

lint: ## check the format of the sources against .swift-format
	swift format lint --strict --recursive $(SOURCES)

picture: ## make the picture in README.md again, docs/images/timeline.png
	@scripts/install test
	swift build --product till
	@.venv/bin/python scripts/picture

hops: ## count the hops of a purchase, a renewal and a history call in a trace of the debug build (needs gdb)
	@scripts/install test
	swift build --product till
	@.venv/bin/python scripts/hops $(HOPS)

record-surface: ## at a release: record the operations, commands, settings and metrics that users build on
	@scripts/install test
	swift build --product till
	@TILL_RECORD_SURFACE=1 .venv/bin/python -m pytest -q Tests/Python/control/test_surface.py

clean: ## remove build products and .venv; your data in ./till-data stays
	rm -rf .build .build-* dist .venv Distribution/.venv Benchmarks/.build Benchmarks/.venv
