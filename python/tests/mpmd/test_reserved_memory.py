"""Reserved bytes of random programs, compared with a count of live values at each fragment."""

from __future__ import annotations

import math
import re

import pytest

from sdykit.mlir import ir
from support.mpmd.checks import (
    dictionaries,
    main_function,
    main_ops,
    random_modules,
    run_unverified,
)

BITS = {"f32": 32, "bf16": 16, "i1": 1, "i8": 8, "i32": 32, "complex<f32>": 64}
OPTIONS = ("", "{attribute=reserved_hbm_bytes aliased-counts-as-donated=false}")
NAMES = ("xla_tpu_user_reserved_hbm_bytes", "reserved_hbm_bytes")
MARKS = (
    "mpmd-mark-offloaded-input-output,mpmd-sink-create-token-into-fragments,"
    "mpmd-mark-aliasing-and-donation"
)


class Liveness:
    """The range of ops in which each value is live, computed from its uses alone."""

    def __init__(self, module: ir.Module, *, aliased_is_donated: bool) -> None:
        func = main_function(module)
        self.ops = main_ops(module)
        self.axes = axes_of(module)
        self.spans: list[tuple[ir.Value, int, float]] = []
        """For each value the first and the last op at which it is live."""
        self.corrections: list[tuple[ir.Value, int]] = []
        """Transferred values in host memory: they are never counted, but subtracted at this op."""
        arguments = list(func.regions[0].blocks[0].arguments)
        for value, own in zip(
            arguments, dictionaries(func, "arg_attrs", len(arguments)), strict=True
        ):
            donated = own.get("jax.buffer_donor") == "true" or (
                aliased_is_donated and "tf.aliasing_output" in own
            )
            self._add(value, 0, on_host=on_host(own), kept=not donated)
        for at, op in enumerate(self.ops):
            for value, own in zip(
                op.results, dictionaries(op, "res_attrs", len(op.results)), strict=True
            ):
                if any(value in user.operands for user in self.ops):
                    self._add(value, at + 1, on_host=on_host(own), kept=False)

    def _add(self, value: ir.Value, first: int, *, on_host: bool, kept: bool) -> None:
        uses = [at for at, op in enumerate(self.ops) if value in op.operands]
        end = math.inf
        if not kept and (not uses or uses[-1] != len(self.ops) - 1):
            end = uses[-1] if uses else -1
            if uses and not self._counts_as_operand(self.ops[uses[-1]], value):
                end = math.inf
        if not on_host:
            self.spans.append((value, first, end))
        elif end is not math.inf and end >= 0:
            self.corrections.append((value, int(end)))

    @staticmethod
    def _counts_as_operand(op: ir.Operation, value: ir.Value) -> bool:
        own = dictionaries(op, "arg_attrs", len(op.operands))
        return any(value == v and not on_host(o) for v, o in zip(op.operands, own, strict=True))

    def reserved(self, at: int) -> int:
        """Return the live bytes on the mesh of a fragment, without its operands."""
        fragment = self.ops[at]
        mesh = ir.StringAttr(fragment.attributes["mesh_name"]).value
        live = [v for v, first, last in self.spans if first <= at <= last]
        subtracted = [v for v, last in self.corrections if last < at]
        own = [v for v in set(fragment.operands) if self._counts_as_operand(fragment, v)]

        def total(values: list[ir.Value]) -> int:
            sizes = (self.size(v) for v in values)
            return sum(size for name, size in sizes if name == mesh)

        return math.ceil((total(live) - total(subtracted) - total(own)) / 8)

    def size(self, value: ir.Value) -> tuple[str, int]:
        """Return the mesh of a value, and its bits on one device, from the text of its type."""
        match = re.match(
            r'!mpmd\.mesh_tensor<"([^"]*)", tensor<((?:\d+x)*)(complex<f32>|\w+)>', str(value.type)
        )
        assert match, value.type
        shape = [int(n) for n in match[2].split("x") if n]
        sharding = re.search(r"sharding=<@(\w+), \[(.*?)\]>", str(value.type))
        if sharding:
            for at, dimension in enumerate(re.findall(r"\{(.*?)\}", sharding[2])):
                for axis in re.findall(r'"(\w+)"', dimension):
                    shape[at] = math.ceil(shape[at] / self.axes[sharding[1]][axis])
        return match[1], math.prod(shape) * BITS[match[3]]


def on_host(own: dict[str, str]) -> bool:
    return own.get("mhlo.memory_kind") == '"pinned_host"'


def axes_of(module: ir.Module) -> dict[str, dict[str, int]]:
    """Return the sizes of the axes of each mesh."""
    meshes = [op.operation for op in module.body.operations if op.operation.name == "sdy.mesh"]
    return {
        ir.StringAttr(op.attributes["sym_name"]).value: {
            axis: int(size)
            for axis, size in re.findall(r'"(\w+)"=(\d+)', str(op.attributes["mesh"]))
        }
        for op in meshes
    }


@pytest.mark.parametrize("as_jaxlib", [False, True], ids=["documented", "jaxlib"])
def test_reserved_bytes_are_those_of_live_values_other_than_operands(as_jaxlib: bool) -> None:
    fragments = nonzero = 0
    for module in random_modules(reserved_bytes=False, fragment_attributes=False):
        if not run_unverified(module, MARKS):
            continue
        liveness = Liveness(module, aliased_is_donated=not as_jaxlib)
        assert run_unverified(module, f"mpmd-mark-fragment-reserved-memory{OPTIONS[as_jaxlib]}")
        for at, op in enumerate(liveness.ops):
            if op.name != "mpmd.fragment":
                continue
            found = ir.IntegerAttr(op.attributes[NAMES[as_jaxlib]]).value
            assert found == liveness.reserved(at), f"{op}\n{module}"
            fragments += 1
            nonzero += found > 0
    assert fragments > 1000
    assert nonzero > 300
