"""Random programs compute the same bits before and after the passes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sdykit.core import run_pipeline
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context
from sdykit.mpmd import interpret
from support.mpmd.checks import inputs_of
from support.mpmd.programs import random_program

PASSES = [
    "mpmd-delay-inferred-fragments",
    "mpmd-delay-transfers-from-cpu",
    "mpmd-lower-to-fragment-calls",
    "mpmd-lower-to-fragment-calls{group-across-meshes=true naming=program}",
    "mpmd-mark-aliasing-and-donation",
    "mpmd-mark-fragment-reserved-memory",
    "mpmd-mark-input-output-with-layouts",
    "mpmd-mark-offloaded-input-output",
    "mpmd-sink-create-token-into-fragments",
    "mpmd-export-pipeline",
    "mpmd-export-pipeline{compat=jaxlib}",
]
MARKS_MEMORY_KINDS = {"mpmd-mark-offloaded-input-output", "mpmd-export-pipeline"}
"""After these the memory kinds agree everywhere."""
AFTER_SINKING = ("mpmd-lower-to-fragment-calls", "mpmd-mark-fragment-reserved-memory")
"""Run after tokens were sunk, these do not meet tokens between fragments."""
SEEDS = 40


def is_main(func: ir.Operation) -> bool:
    return ir.StringAttr(func.attributes["sym_name"]).value == "main"


def assert_same_bits(before: list[Any], after: list[Any], where: str) -> None:
    assert len(before) == len(after), where
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        if old is None:
            assert new is None, f"{where}: result #{index}"
            continue
        assert old.dtype == new.dtype, f"{where}: result #{index}"
        assert old.shape == new.shape, f"{where}: result #{index}"
        assert old.tobytes() == new.tobytes(), f"{where}: result #{index}"


REJECTED = re.compile(
    # A fragment may put a result on the host that is then transferred.
    "Transfers from host with attributes are not supported"
    # The users of an untidy program's argument may disagree.
    "|Memory kind mismatch between users"
)


def runs(module: ir.Module, pipeline: str) -> bool:
    """Run a pipeline; tell whether it takes the program."""
    try:
        run_pipeline(module, pipeline)
    except PassFailure as failure:
        if not REJECTED.search(str(failure)):
            raise
        return False
    return True


@pytest.mark.parametrize("oracle", [True, False], ids=["tidy", "untidy"])
@pytest.mark.parametrize("pipeline", PASSES)
def test_passes_keep_the_results_of_random_programs(pipeline: str, oracle: bool) -> None:
    compared, changed = 0, 0
    tokens = not pipeline.startswith(AFTER_SINKING)
    for seed in range(SEEDS):
        # XLA has no implementation for the custom calls.
        text = random_program(seed, oracle=oracle, custom_calls=False, tokens=tokens)
        module = ir.Module.parse(text, make_context())
        inputs = inputs_of(module, seed)
        before, old_text = interpret(module, inputs), str(module)
        if not runs(module, pipeline):
            continue
        after = interpret(module, inputs, check_memory_kinds=pipeline in MARKS_MEMORY_KINDS)
        assert_same_bits(before, after, f"seed {seed}")
        compared += 1
        changed += str(module) != old_text
    assert compared >= SEEDS * 3 // 4
    assert changed >= SEEDS // 20  # The pass changes enough of the programs.
