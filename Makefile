# The front door. Every target first sets up what it needs; the work itself is in scripts/.
PREFIX ?= /usr/local

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-all build bench check tidy install setup clean distclean

help: ## this list
	@echo 'make TARGET, where TARGET is one of:'
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: build ## see Quarry at work on a small workflow
	@.venv/bin/python examples/demo/run

build: setup ## the program in build/bin, the plugin in build/lib/quarry
	@scripts/build default

test: build ## checks, unit tests, Python tests and the suites of h5py, netCDF4, xarray, HDF5
	@scripts/test

test-all: build ## the same and more: whole suites, sanitizers, valgrind, MPI, clang-tidy
	@scripts/setup --all
	@scripts/test --all

bench: build ## speed against no connector and HDF5's pass-through connector; what recording, reports and carving cost
	@holds=0; for part in run recording report carving; do .venv/bin/python bench/$$part || holds=1; done; exit $$holds

check: setup ## format, lint and layering of the sources
	@scripts/check

tidy: build ## clang-tidy over all sources
	@scripts/tidy

install: build ## install below PREFIX (default /usr/local)
	@cmake --install build --prefix $(PREFIX)

setup: ## what building and testing needs: Debian packages, HDF5 >= 1.14, Python packages
	@scripts/setup

clean: ## remove what was built
	@rm -rf build build-asan build-tsan

distclean: clean ## remove what set-up made, too
	@rm -rf .deps .venv
