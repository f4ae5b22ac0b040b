"""From a pipelined JAX program to the module of fragments that the export passes are given."""

from __future__ import annotations

from collections.abc import Mapping

from examples.models.pipeline import Pipeline
from mpmd_oracle import UNTIL_EXPORT, MpmdOracle, Partitioned, Request
from mpmd_oracle_regions import name_regions
from oracle import parse
from sdykit.bridge.from_jax import lower


def named(pipeline: Pipeline) -> str:
    """Lower a program, and make its parts named computations and program calls."""
    program = pipeline.program
    text = lower(
        program.fn,
        *program.args,
        in_shardings=program.in_shardings,
        out_shardings=program.out_shardings,
        mesh=program.mesh,
        debuginfo=True,
        platform="tpu",  # Others refuse to place buffers in pinned host memory.
    )
    module = parse(text)
    name_regions(module, pipeline.assignment, pipeline.repeated)
    module.operation.verify()
    return str(module.operation.get_asm(enable_debug_info=True))


def partitioned(pipeline: Pipeline, options: Mapping[str, bool], oracle: MpmdOracle) -> str:
    """Give the module, with locations, that the export passes are given.

    JAX lowers the program; its parts become named computations; jaxlib's partitioner makes
    fragments of them, propagates shardings and cleans up.

    Args:
        pipeline: the program.
        options: what else the partitioner is asked for.
        oracle: the partitioner.
    """
    request = Request(
        phases=("IMPORT", "OPTIMIZE"),
        donated=pipeline.donated,
        meshes=pipeline.meshes,
        assignment=pipeline.assignment,
        input_meshes=pipeline.input_meshes,
        output_meshes=pipeline.output_meshes,
        options={
            "mpmd_infer_transfers": True,
            "mpmd_pipeline_schedule": pipeline.schedule,
            **options,
        },
    )
    optimized = _text(oracle(named(pipeline), request))
    return _text(oracle(optimized, UNTIL_EXPORT))


def _text(outcome: Partitioned) -> str:
    if outcome.text is None:
        raise RuntimeError(f"the program cannot be partitioned: {outcome}")
    return outcome.text
