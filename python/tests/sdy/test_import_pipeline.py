"""`-sdy-import-pipeline`: its passes, options and results are those of the C++ pipeline."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.core.options import option_specs
from sdykit.mlir import passmanager
from sdykit.passes.sdy.pipeline import ImportPipeline
from support.amounts import examples
from support.oracle import context, ours
from support.oracle_process import OracleProcess
from support.sdy.sharded_modules import sharded_module

DEFAULT = "sdy-import-pipeline"
FULLY = f"{DEFAULT}{{dedup-functions-fully=true}}"
# It does nothing without a directory: then ours leaves it out. The text of C++'s pipeline takes none.
SAVE = "sdy-save-module"


def cpp_passes(pipeline: str, *, saving: bool = False) -> list[str]:
    with context():
        text = str(passmanager.PassManager.parse(f"builtin.module({pipeline})"))
    inner = text.removeprefix("builtin.module(").removesuffix(")")
    return [name for name in re.sub(r"{.*?}", "", inner).split(",") if saving or name != SAVE]


def test_the_pipeline_has_the_passes_of_the_oracle() -> None:
    assert list(ImportPipeline().passes()) == cpp_passes(DEFAULT)
    assert list(ImportPipeline(dedup_functions_fully=True).passes()) == cpp_passes(FULLY)


def test_the_options() -> None:
    found = {each.name: (each.type, each.default) for each in option_specs(ImportPipeline)}
    assert found == {"dedup-functions-fully": (bool, False), "dump-directory": (str, "")}


def test_the_module_is_saved_where_the_oracle_would() -> None:
    passes = ImportPipeline(dump_directory="d").passes()
    assert [re.sub(r"{.*}", "", each) for each in passes] == cpp_passes(DEFAULT, saving=True)


@pytest.fixture(scope="module")
def process() -> Iterator[OracleProcess]:
    running = OracleProcess()
    yield running
    running.close()


@settings(derandomize=True, max_examples=examples(150), deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_modules_are_imported_as_by_the_oracle(process: OracleProcess, seed: int) -> None:
    module = sharded_module(random.Random(seed))
    process.ask(module, [DEFAULT, FULLY])
    # Verified after each pass, as C++ is: both stop at the pass that makes the module invalid.
    found = [ours(module, pipeline, verify_each=True) for pipeline in (DEFAULT, FULLY)]
    for mine, cpp in zip(found, process.answers(), strict=True):
        # The C++ pass for manual axes crashes on some modules; ours must not.
        if cpp is not None:
            assert mine == cpp, module
