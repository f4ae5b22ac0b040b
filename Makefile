# `make help` lists the targets. Each one first makes the environment $(VENV) if it is
# not there: it needs Python >= 3.11, a C++ compiler and make; the rest comes from PyPI.

VENV   ?= .venv
PYTHON ?= python3

BIN       := $(VENV)/bin
RUN       := $(BIN)/python
INSTALLED := $(VENV)/.installed
DOCS      := $(VENV)/.installed-docs
NATIVE    := $(wildcard python/sdykit/*/native/* python/sdykit/*/native/*/* python/sdykit/*/*.pyi)
PIP       := $(RUN) -m pip --disable-pip-version-check --quiet

# More arguments: `make test PYTEST_ARGS='-k mesh' LIT_ARGS='--filter=mesh'`.
PYTEST_ARGS ?=
LIT_ARGS    ?=
# `make bench BENCH_ARGS='--only ffi --quick' COMPARE=old.json`
BENCH_ARGS  ?=
COMPARE     ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo report test pytest lit coverage check lint types layers stale format \
	generate bench peers stress soak asan tsan docs wheel clean distclean

help: ## List the targets
	@echo "Targets (variables: VENV=$(VENV) PYTHON=$(PYTHON)):"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(INSTALLED) ## Make the environment; anew when pyproject.toml or the native code changed

demo: $(INSTALLED) ## Train a click model on 4 simulated chips; under 2 minutes
	$(RUN) examples/click_model/train.py

report: $(INSTALLED) ## Lower a JAX model, import it, report what each pass changed
	$(RUN) examples/import_report/demo.py

test: pytest lit ## Run all tests

pytest: $(INSTALLED) ## Run the tests in python/tests
	$(RUN) -m pytest -n auto $(PYTEST_ARGS)

lit: $(INSTALLED) ## Run the tests in lit_tests (LIT_FILECHECK=llvm: with LLVM's FileCheck)
	$(BIN)/lit -v $(LIT_ARGS) lit_tests

coverage: $(INSTALLED) ## Run the tests in python/tests and tell which lines they miss
	$(RUN) -m pytest -n auto --cov --cov-report=term $(PYTEST_ARGS)

check: lint types layers stale ## Lint, format, types, layers, stale generated files

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(INSTALLED)
	$(BIN)/pyright --pythonpath $(RUN)

layers: $(INSTALLED)
	$(BIN)/lint-imports --no-logo

stale: $(INSTALLED)
	$(RUN) tools/generate_dialects.py --check $(if $(REQUIRE_LLVM),,--if-llvm)
	$(RUN) tools/generate_flags_doc.py --check
	$(RUN) tools/generate_reference.py --check

format: $(INSTALLED) ## Format the Python files and mend what the linter can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

generate: $(INSTALLED) ## Generate docs/flags.md, docs/errors.md, docs/reference, and the dialect classes from dialects/*.td (needs LLVM's tools)
	$(RUN) tools/generate_flags_doc.py
	$(RUN) tools/generate_reference.py
	$(RUN) tools/generate_dialects.py

bench: $(INSTALLED) ## Time ours beside others; build/benchmarks.md and .json (COMPARE=old.json: beside those)
	$(RUN) benchmarks/run.py bench $(BENCH_ARGS) $(if $(COMPARE),--compare $(COMPARE))

peers: $(INSTALLED) ## The same for lookups and training steps beside torch, fbgemm and jnp (installs both)
	@$(PIP) install --group peers
	$(RUN) benchmarks/run.py peers $(BENCH_ARGS) $(if $(COMPARE),--compare $(COMPARE))

stress: $(INSTALLED) ## Look up and update 100 times on 1, 2, 4 and 8 devices each
	for devices in 1 2 4 8; do \
		$(RUN) python/tests/support/embedding/many_devices.py --devices $$devices --runs 100 || exit 1; \
	done

soak: $(INSTALLED) ## All tests with all of their random examples; many more modules, ops and kernels
	SDYKIT_SOAK=1 SDYKIT_RANDOM_MODULES=20000 SDYKIT_RANDOM_RULES=50000 SDYKIT_RANDOM_SPMD=200 SDYKIT_RANDOM_RESHARDS=100000 \
		SDYKIT_RANDOM_PROPAGATIONS=3000 SDYKIT_RANDOM_EXPORTS=1000 \
		$(RUN) -m pytest -n auto
	$(RUN) python/tests/support/mosaic/soak.py
	$(RUN) python/tests/support/embedding/shared_memory.py --devices 2 4 8 16 --runs 1000
	$(RUN) python/tests/support/embedding/process_runs.py --processes 2 4 --runs 1000
	$(RUN) python/tests/support/pallas/orders.py

asan: $(INSTALLED) ## Run the tests of the native modules with AddressSanitizer (gcc)
	$(call BUILD_SANITIZED,asan,ASAN,Debug)
	PYTHONPATH=$(abspath build/asan) \
		LD_PRELOAD="$$(c++ -print-file-name=libasan.so):$$(c++ -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		$(RUN) -m pytest python/tests/bridge python/tests/sparsecore -k "ffi or embedding or kernels or preprocess or limits or together or agents or apart or marks or semaphores"

# Memory at random addresses is not what ThreadSanitizer expects. pytest would keep what it prints. Of XLA's
# threads it sees memory, and not what orders them: with JAX, only accesses of our own modules are compared.
tsan: $(INSTALLED) ## Run the tests of threads and agents with ThreadSanitizer (gcc): fails after races, build/tsan/races.* say where
	$(call BUILD_SANITIZED,tsan,TSAN,RelWithDebInfo)
	PYTHONPATH=$(abspath build/tsan) \
		LD_PRELOAD="$$(c++ -print-file-name=libtsan.so):$$(c++ -print-file-name=libstdc++.so)" \
		TSAN_OPTIONS=log_path=$(abspath build/tsan)/races \
		setarch -R $(RUN) -m pytest python/tests/sparsecore/codegen -k "(apart or agents) and not 1000"
	PYTHONPATH=$(abspath build/tsan) \
		LD_PRELOAD="$$(c++ -print-file-name=libtsan.so):$$(c++ -print-file-name=libstdc++.so)" \
		TSAN_OPTIONS=log_path=$(abspath build/tsan)/races:ignore_noninstrumented_modules=1 \
		setarch -R $(RUN) python/tests/support/embedding/shared_memory.py --devices 2 8

define BUILD_SANITIZED
	$(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
		-DSDYKIT_$(2)=ON -DCMAKE_BUILD_TYPE=$(3) -DPython_EXECUTABLE=$(abspath $(RUN))
	$(BIN)/cmake --build build/$(1) --target _native _kernels _machine
endef

docs: $(DOCS) ## Build the documentation into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

wheel: $(INSTALLED) ## Build the sdist, and from it the wheel, into dist/
	rm -rf dist
	$(RUN) -m build --quiet --outdir dist .
	$(RUN) python/tests/packaging/check_dist.py dist

clean: ## Remove what builds and tests left behind
	rm -rf build dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	find . -name __pycache__ -type d -not -path './.venv*' -prune -exec rm -rf {} +

distclean: clean ## Remove the environment too
	rm -rf $(VENV)

# What pip would say about a missing prerequisite is long; ask first.
define CHECK_PREREQUISITES
import os, shutil, sys, sysconfig
def need(ok, text):
    if not ok:
        sys.exit("make: " + text)
need(sys.version_info >= (3, 11), "sdykit needs Python 3.11 or newer; %s is %s. Try: make PYTHON=python3.12" % (sys.executable, sys.version.split()[0]))
try:
    import ensurepip, venv
except ImportError:
    need(False, "Python lacks the module venv (on Debian: apt install python3-venv)")
need(os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")), "Python.h is missing (on Debian: apt install python3-dev)")
compiler = os.environ.get("CXX", "").split() or ["c++"]
need(any(shutil.which(c) for c in (compiler[0], "g++", "clang++")), "no C++ compiler found (on Debian: apt install g++); CXX names another")
endef
export CHECK_PREREQUISITES

$(INSTALLED): pyproject.toml CMakeLists.txt $(NATIVE)
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; make PYTHON=... names another" >&2; exit 1; }
	@$(PYTHON) -c "$$CHECK_PREREQUISITES"
	@echo "Installing sdykit and its tools into $(VENV) ..."
	@test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --group build --group test --group check
	@PATH="$(abspath $(BIN)):$$PATH" $(PIP) install --no-build-isolation --editable '.[sparsecore]'
	@touch $@

$(DOCS): $(INSTALLED)
	@$(PIP) install --group docs
	@touch $@
