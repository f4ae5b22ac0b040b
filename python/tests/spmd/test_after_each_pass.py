"""What each pass of both pipelines leaves still computes the same, on all devices of the mesh."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from sdykit import spmd
from sdykit.core import run_pipeline
from sdykit.core.diagnostics import sent_to
from sdykit.passes.sdy.pipeline import ExportPipeline, ImportPipeline, PropagationPipeline
from sdykit.spmd.inserting import module_of
from support.spmd.models import PROGRAMS, inputs_of, text_of
from support.spmd.sharded_ops import inputs_of as inputs_of_ops
from support.spmd.sharded_ops import kinds, sharded_ops

ALL = bool(os.environ.get("SDYKIT_SOAK"))
SEEDS = range(20 if ALL else 1)
STEP = 1 if ALL else 6
"""Of the passes that change a module, only each so manieth is followed by a run."""
DEDUP = (False, True) if ALL else (False,)


def passes_of(dedup: bool) -> Iterator[str]:
    """Yield the passes of propagation, those of the pipelines in it too, up to collectives."""
    pipeline = PropagationPipeline(
        dedup_functions_fully=dedup, enable_insert_explicit_collectives=True
    )
    for each in pipeline.passes():
        if each.startswith("sdy-export-pipeline"):
            yield from ExportPipeline(enable_insert_explicit_collectives=True).passes()
        elif each == "sdy-import-pipeline":
            yield from ImportPipeline().passes()
        else:
            yield each


def check_each(text: str, inputs: Sequence[np.ndarray], dedup: bool) -> int:
    """Compare after each pass that changes a module, and at the end; return how often."""
    expected = spmd.run(text, inputs, collectives="implicit")
    module = module_of(text)
    before, changes, compared = str(module), 0, 0
    passes = list(passes_of(dedup))
    for number, each in enumerate(passes):
        with sent_to(lambda _: None):  # Some ops have no rule, and are warned of.
            run_pipeline(module, each)
        is_last = number == len(passes) - 1
        changes += str(module) != before
        if not is_last and (str(module) == before or changes % STEP):
            continue
        before = str(module)
        compared += 1
        program = spmd.partition(module, collectives="explicit" if is_last else "implicit")
        found = spmd.run_partitioned(program, inputs)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-3, atol=1e-4, err_msg=each)
    return compared


@pytest.mark.parametrize("dedup", DEDUP)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_ops(seed: int, dedup: bool) -> None:
    text = sharded_ops(seed, random.Random(seed).choices(kinds(), k=12))
    assert check_each(text, inputs_of_ops(text, seed), dedup) >= 2


@pytest.mark.parametrize("dedup", DEDUP)
@pytest.mark.parametrize("name", PROGRAMS if ALL else ["control_flow"])
def test_models(name: str, dedup: bool) -> None:
    text = text_of(name)
    assert check_each(text, inputs_of(text), dedup) >= 3
