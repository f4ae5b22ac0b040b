"""`check`: a partitioned program beside the same program without shardings, op by op if asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdykit.core.diagnostics import Diagnostic
from sdykit.mlir import ir
from sdykit.plurals import counted
from sdykit.spmd.bisecting import Difference, first_difference, manual_ops
from sdykit.spmd.comparing import difference
from sdykit.spmd.errors import SpmdError
from sdykit.spmd.from_jax import Program, lowered
from sdykit.spmd.inserting import Collectives, module_of, with_collectives
from sdykit.spmd.partitioning import Partitioned, partition_function
from sdykit.spmd.running import (
    check_inputs,
    joined,
    random_inputs,
    run_on_devices,
    run_partitioned,
)


@dataclass(frozen=True)
class Check:
    """What a comparison found.

    Attributes:
        devices: the number of devices.
        results: the number of results that were compared.
        differences: each result that differs, with its first element that does.
        first: the first op whose parts, put together, differ; None if there is none, or it was not
            asked for.
        notes: where the run differs from what a partitioner would make.
        manual_ops: the number of ops in manual computations. Along their manual axes these are one
            program for both sides of the comparison, so that it finds no error of theirs.
    """

    devices: int
    results: int
    differences: tuple[str, ...]
    first: Difference | None
    notes: tuple[Diagnostic, ...]
    manual_ops: int

    @property
    def is_equal(self) -> bool:
        """Whether the devices computed what one device computes."""
        return not self.differences and self.first is None

    def __str__(self) -> str:
        lines = [*self.differences, *([str(self.first)] if self.first is not None else [])]
        if lines:
            return "\n".join(lines)
        text = self._equal_text()
        if not self.manual_ops:
            return text
        does = "does" if self.manual_ops == 1 else "do"
        return (
            f"{text}. Not checked: what {counted(self.manual_ops, 'op')} in manual computations {does}"
            " along manual axes, where both sides run the same program"
        )

    def _equal_text(self) -> str:
        if not self.results:
            return "the program has no results: there is nothing to compare"
        same = "the same result" if self.results == 1 else f"the same {self.results} results"
        if self.devices == 1:
            return f"1 device computes {same} as the program without shardings"
        return f"{self.devices:,} devices compute {same} as one device"


def check(
    module: Program,
    inputs: Sequence[Any] | None = None,
    function: str | None = None,
    *,
    collectives: Collectives | None = None,
    bisect: bool = False,
    seed: int = 0,
    tolerance: float | None = None,
    mesh: Any = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
) -> Check:
    """Compare a module, run on all devices of its mesh, with the same module without shardings.

    Args:
        module: the module, which is not changed, or its text; or a JAX function.
        inputs: an array for each argument, of its global shape and dtype; None: random ones. The
            arguments of a JAX function, of which only shapes may be known: then random ones too.
        function: the function of the module to run; by default `main`, or the only one.
        collectives: who moves data between devices; see `run`.
        bisect: whether to compare the value of every op, and to name the first that differs.
        seed: the seed of random inputs.
        tolerance: by how much floats may differ, relative to the largest one of a tensor; by default
            the root of their precision, 3.5e-4 for f32.
        mesh: the mesh of a JAX function, which needs no devices; see `sdykit.bridge.from_jax.lower`.
        in_shardings: the shardings of its arguments.
        out_shardings: the shardings of its results.

    Raises:
        SpmdError: the module is invalid, the inputs do not fit it, an op cannot be run, or the tolerance
            is no finite number from 0.
    """
    if tolerance is not None and not 0 <= tolerance < math.inf:
        raise SpmdError(f"tolerance: found {tolerance}; expected a finite number from 0")
    module, inputs = lowered(
        module, inputs, mesh=mesh, in_shardings=in_shardings, out_shardings=out_shardings
    )
    whole = module_of(module)
    reference = partition_function(whole, "implicit", function, ignores_shardings=True)
    arrays = random_inputs(reference, seed) if inputs is None else check_inputs(reference, inputs)
    expected = run_partitioned(reference, arrays)
    copy = module_of(module)
    communication = with_collectives(copy, collectives)
    program = partition_function(copy, communication, function)
    differences = _differences(program, arrays, expected, tolerance)
    first = None
    if bisect:
        first = first_difference(copy, communication, function, arrays, tolerance)
        if first is None and differences:
            differences.append(_changed(copy, function, arrays, expected, tolerance))
    return Check(
        program.devices,
        len(expected),
        tuple(differences),
        first,
        program.notes,
        manual_ops(whole.operation),
    )


def _differences(
    program: Partitioned,
    arrays: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    tolerance: float | None,
) -> list[str]:
    found = []
    for value, parts, wanted in zip(
        program.results, run_on_devices(program, arrays), expected, strict=True
    ):
        try:
            text = difference(joined(value, parts), wanted, tolerance)
        except SpmdError as error:
            found.append(str(error))
        else:
            if text is not None:
                found.append(f"{value.name}: {text}")
    return found


def _changed(
    module: ir.Module,
    function: str | None,
    arrays: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    tolerance: float | None,
) -> str:
    """Return why results differ though no op does."""
    reference = partition_function(module, "implicit", function, ignores_shardings=True)
    changed = _differences(reference, arrays, expected, tolerance)
    if changed:
        return "the passes changed what the program computes, on one device too: " + "; ".join(
            changed
        )
    return "no op differs by itself: rounding adds up"
