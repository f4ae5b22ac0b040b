"""Collectives that programs have themselves, and those of sdy that JAX's functions do not lead to."""

from __future__ import annotations

import itertools
import random

import pytest

from sdykit.explain import Explanation, explain_text
from sdykit.explain.costs import Collective
from sdykit.explain.costs.sentences import reasons_of
from sdykit.explain.costs.written import written_group
from sdykit.explain.questions import Index
from sdykit.mlir import ir, make_context

MESH = {"a": 2, "b": 3, "c": 2}
DEVICES = list(itertools.product(*map(range, MESH.values())))


def groups_along(axes: tuple[str, ...]) -> list[list[int]]:
    """Return the devices that differ only along some axes, by comparing all pairs."""
    fixed = [at for at, name in enumerate(MESH) if name not in axes]
    return [
        [other for other, at in enumerate(DEVICES) if all(at[dim] == place[dim] for dim in fixed)]
        for place in DEVICES
    ]


def group_of(attribute: str, name: str = "replica_groups") -> tuple[tuple[str, ...], int]:
    with make_context() as context:
        context.allow_unregistered_dialects = True
        axes = ", ".join(f'"{axis}"={size}' for axis, size in MESH.items())
        op = f'"test.collective"() {{{name} = {attribute}}} : () -> ()'
        module = ir.Module.parse(f"sdy.mesh @mesh = <[{axes}]>\n{op}")
        return written_group(module.body.operations[1].operation, {"mesh": MESH})


def dense(rows: list[list[int]]) -> str:
    return f"dense<{rows}> : tensor<{len(rows)}x{len(rows[0])}xi64>"


@pytest.mark.parametrize(
    "axes", [axes for count in (1, 2, 3) for axes in itertools.combinations(MESH, count)]
)
def test_groups_lead_to_axes(axes: tuple[str, ...]) -> None:
    rows = [list(row) for row in dict.fromkeys(map(tuple, groups_along(axes)))]
    random.Random(1).shuffle(rows)
    assert group_of(dense(rows)) == (axes, len(rows[0]))


def test_groups_of_no_axes() -> None:
    assert group_of(dense([[0, 1, 2, 3], [4, 5, 6, 7]])) == ((), 4)
    assert group_of("dense<> : tensor<0x0xi64>") == (("a", "b", "c"), 12)


def test_groups_as_axes_of_a_mesh() -> None:
    axes = '[#stablehlo.axis_ref<name = "b">, #stablehlo.axis_ref<name = "c">]'
    assert group_of(f"#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = {axes}>") == (
        ("b", "c"),
        6,
    )
    mesh = '#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 8>]>'
    part = '[#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>]'
    assert group_of(f"#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = {part}>") == (
        ("x:(2)4",),
        4,
    )


def test_pairs_lead_to_the_axes_that_they_are_within() -> None:
    shifted = [[row[at], row[at - 1]] for row in groups_along(("b",)) for at in range(3)]
    assert group_of(dense(shifted), "source_target_pairs") == (("b",), 3)
    assert group_of(dense([[0, 11]]), "source_target_pairs") == (("a", "b", "c"), 12)


def only(text: str) -> tuple[Explanation, Collective]:
    explanation = explain_text(text, "f.mlir", to="collectives")
    assert explanation.costs is not None
    (found,) = explanation.costs.collectives
    return explanation, found


def test_parts_that_are_to_be_summed() -> None:
    explanation, found = only(
        """
        sdy.mesh @mesh = <["x"=4]>
        func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})
            -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
          return %x : tensor<8xf32>
        }
        """
    )
    assert (found.kind, found.axes, found.operand_bytes, found.bytes) == (
        "all_reduce",
        ("x",),
        32,
        48,
    )
    assert reasons_of(Index(explanation), found) == [
        "%arg0 has x unreduced, as argument %arg0 says"
    ]


def test_another_mesh_is_a_reshard() -> None:
    _, found = only(
        """
        sdy.mesh @one = <["x"=4]>
        sdy.mesh @two = <["y"=2, "z"=2]>
        func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{"x"}]>})
            -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@two, [{"y"}]>}) {
          return %x : tensor<8xf32>
        }
        """
    )
    assert (found.kind, found.axes, found.bytes) == ("reshard", ("x", "y"), 8)


def test_a_dimension_that_axes_do_not_divide_is_padded() -> None:
    costs = explain_text(
        """
        sdy.mesh @mesh = <["x"=4]>
        func.func @main(%x: tensor<10xf32>) -> tensor<10xf32> {
          %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<10xf32>
          %1 = stablehlo.negate %0 : tensor<10xf32>
          %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<10xf32>
          return %2 : tensor<10xf32>
        }
        """,
        to="collectives",
    ).costs
    assert costs is not None
    gather = next(each for each in costs.collectives if each.kind == "all_gather")
    # Parts of 3, 3, 3 and 1 elements: each is as long as the first.
    assert (gather.operand_bytes, gather.bytes) == (12, 36)
