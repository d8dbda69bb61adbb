# `make` alone prints what there is. Nothing has to be installed by hand but git, make and the Swift toolchain.

DATA ?= ./till-data
SOURCES := Sources Tests Package.swift

.DEFAULT_GOAL := help
.PHONY: help run build test test-swift test-python test-cluster soak bench dist format lint clean

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

test-swift: ## only the Swift tests
	@scripts/test swift

test-python: ## only the Python tests, against the built server
	@scripts/test python

test-cluster: ## the leaders of a PostgreSQL cluster under Patroni go, under load (installs Patroni and etcd)
	@scripts/test cluster

soak: ## the long runs: crashes under load, then ten minutes of mixed load on each engine (TILL_SOAK_SECONDS=600)
	@scripts/test soak

bench: ## figures of this machine beside Till's, as ratios (BENCH='--json --subscribers 1000')
	@scripts/install
	swift build -c release --product till
	swift build -c release --product till-bench
	@exec .build/release/till-bench $(BENCH)

dist: ## one stripped binary, dist/till, proved in a clean Debian root (as root)
	@scripts/dist

format: ## rewrite the sources in the format of .swift-format
	swift format --in-place --recursive $(SOURCES)

lint: ## say where the sources depart from .swift-format
	swift format lint --strict --recursive $(SOURCES)

clean: ## remove what was built and .venv; your data in ./till-data stays
	rm -rf .build .build-* dist .venv
