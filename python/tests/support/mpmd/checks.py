"""Helpers for tests of the `mpmd` passes: random programs, and the ops of a module."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from sdykit.core import RunOptions, run_pipeline
from sdykit.core.plan import plan
from sdykit.core.run import _run_step
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context
from sdykit.mpmd.tensors import tensor_type
from sdykit.spmd.values import dtype_of
from support.mpmd.programs import random_program

PROGRAMS = 600
"""The number of programs that a property is checked on."""


@functools.cache
def context() -> ir.Context:
    """Return the context that all checks of one process share."""
    return make_context()


def run(module: ir.Module, pipeline: str) -> None:
    """Run passes on a module, and verify the result."""
    with module.context:
        run_pipeline(module, pipeline)


def run_unverified(module: ir.Module, pipeline: str) -> bool:
    """Run export passes without the verifier; return whether none has failed.

    A transfer of a value that is marked as computed on the host is invalid until fragments are
    lowered.
    """
    with module.context, suppress(PassFailure):
        for step in plan(pipeline):
            _run_step(module.operation, step, RunOptions())
        return True
    return False


def random_modules(**features: bool) -> Iterator[ir.Module]:
    """Yield random programs in which values may be used without restrictions."""
    for seed in range(PROGRAMS):
        yield ir.Module.parse(random_program(seed, oracle=False, **features), context())


def main_function(module: ir.Module) -> ir.Operation:
    """Return the function `main`."""
    return next(
        op.operation
        for op in module.body.operations
        if op.operation.name == "func.func" and str(op.operation.attributes["sym_name"]) == '"main"'
    )


def inputs_of(module: ir.Module, seed: int) -> list[Any]:
    """Draw inputs of `main`: small whole numbers, which every element type can hold."""
    draw = np.random.default_rng(seed)
    inputs: list[Any] = []
    for argument in main_function(module).regions[0].blocks[0].arguments:
        tensor = tensor_type(argument.type)
        if tensor is None:  # a token
            inputs.append(None)
            continue
        values = draw.integers(-4, 5, tuple(tensor.shape))
        inputs.append(values.astype(dtype_of(tensor.element_type)))
    return inputs


def main_ops(module: ir.Module) -> list[ir.Operation]:
    """List the ops in the body of `main`."""
    return [op.operation for op in main_function(module).regions[0].blocks[0]]


def is_inferred(op: ir.Operation) -> bool:
    """Return whether an op is a fragment without origins."""
    return op.name == "mpmd.fragment" and len(ir.ArrayAttr(op.attributes["origin"])) == 0


def dictionaries(op: ir.Operation, name: str, count: int) -> list[dict[str, str]]:
    """Return the texts in `arg_attrs` or `res_attrs` of an op, by name."""
    if name not in op.attributes:
        return [{} for _ in range(count)]
    return [
        {named.name: str(named.attr) for named in ir.DictAttr(each)}
        for each in ir.ArrayAttr(op.attributes[name])
    ]
