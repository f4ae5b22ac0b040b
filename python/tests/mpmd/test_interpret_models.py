"""Partitioned JAX programs compute what JAX computes, before and after the export pipeline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from examples.models import (
    offloaded_mlp,
    pipelined_decoder,
    pipelined_mlp,
    pipelined_transformer,
)
from examples.models.pipeline import Pipeline
from sdykit.core import ops_named, run_pipeline
from sdykit.mlir import ir, make_context
from sdykit.mpmd import interpret

INPUTS = Path(__file__).parents[1] / "inputs" / "mpmd"

PIPELINES: dict[str, Callable[[], Pipeline]] = {
    "decoder": pipelined_decoder.pipeline,
    "mlp": pipelined_mlp.pipeline,
    "offloaded_mlp": offloaded_mlp.pipeline,
    "transformer": pipelined_transformer.pipeline,
}
"""Of the modules in `INPUTS` those made with nothing but the defaults."""


def arguments(pipeline: Pipeline) -> list[np.ndarray]:
    draw = np.random.default_rng(0)

    def array(leaf: Any) -> np.ndarray:
        if np.issubdtype(leaf.dtype, np.floating):
            return (0.3 * draw.normal(size=leaf.shape)).astype(leaf.dtype)
        return draw.integers(0, 5, leaf.shape).astype(leaf.dtype)

    return [array(leaf) for leaf in jax.tree.leaves(pipeline.program.args)]


def is_main(func: ir.Operation) -> bool:
    return ir.StringAttr(func.attributes["sym_name"]).value == "main"


def unpartitioned(pipeline: Pipeline) -> ir.Module:
    """The program as JAX lowers it: one piece of StableHLO."""
    module = ir.Module.parse(pipeline.program.text(), make_context())
    (main,) = [op for op in ops_named(module.operation, "func.func") if is_main(op)]
    with module.context:
        main.attributes["topology"] = ir.Attribute.parse('#mpmd.topology<<"m": <["x"=1]>>>')
    return module


@pytest.mark.parametrize("name", PIPELINES)
def test_a_partitioned_model_has_the_results_of_the_jax_function(name: str) -> None:
    pipeline = PIPELINES[name]()
    inputs = arguments(pipeline)
    expected = interpret(unpartitioned(pipeline), inputs)
    module = ir.Module.parse((INPUTS / f"{name}.mlir").read_text(encoding="utf-8"), make_context())
    partitioned = interpret(module, inputs)
    for one, other in zip(expected, partitioned, strict=True):
        assert one is not None
        assert other is not None
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    run_pipeline(module, "mpmd-export-pipeline")
    exported = interpret(module, inputs, check_memory_kinds=True)
    for one, other in zip(partitioned, exported, strict=True):
        assert one is not None
        assert other is not None
        assert one.tobytes() == other.tobytes()


def test_the_interpreter_computes_what_jax_computes() -> None:
    pipeline = pipelined_mlp.pipeline()
    inputs = arguments(pipeline)
    tree = jax.tree.unflatten(jax.tree.structure(pipeline.program.args), inputs)
    expected = jax.tree.leaves(jax.jit(pipeline.program.fn)(*tree))
    results = interpret((INPUTS / "mlp.mlir").read_text(encoding="utf-8"), inputs)
    for one, other in zip(expected, results, strict=True):
        assert other is not None
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
