"""Bodies of fragments with ops for many devices: those that one device can run, and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sdykit.mpmd import ExecutionError, interpret

T = "tensor<4x8xf32>"
M1 = f'!mpmd.mesh_tensor<"m1", {T}>'
X = np.arange(32, dtype=np.float32).reshape(4, 8)


def program(body: str, result: str = T, axes: str = '"x"=2, "y"=2', after: str = "") -> str:
    """Return a program with a fragment of `%a`; its body starts on the fifth line."""
    of_mesh = f'!mpmd.mesh_tensor<"m1", {result}>'
    return (
        f"sdy.mesh @mesh = <[{axes}]>\n"
        f"func.func public @main(%x: {M1}) -> {of_mesh}\n"
        f'attributes {{topology = #mpmd.topology<<"m1": <[{axes}]>>>}} {{\n'
        f'%0 = mpmd.fragment<mesh="m1", origin=["f"]> (%x) (%a: {T}) {{\n'
        f"{body}\n"
        f"}} : ({M1}) -> {of_mesh}\n"
        f"return %0 : {of_mesh}\n}}\n{after}"
    )


def run(text: str) -> np.ndarray:
    (result,) = interpret(text, [X])
    assert result is not None
    return result


def error_of(text: str) -> str:
    with pytest.raises(ExecutionError) as caught:
        interpret(text, [X])
    return str(caught.value)


def manual(body: str, in_: str, out: str, part: str, axes: str, *, result: str = T) -> str:
    return f"""%m = sdy.manual_computation(%a) in_shardings=[<@mesh, {in_}>]
      out_shardings=[<@mesh, {out}>] manual_axes={{{axes}}} (%p: {part}) {{
{body}
}} : ({T}) -> {result}
mpmd.return %m : {result}"""


@pytest.mark.parametrize(
    "op",
    [
        'sdy.sharding_constraint %a <@mesh, [{"x"}, {}]>',
        'sdy.reshard %a <@mesh, [{}, {"x", "y"}]>',
        "sdy.propagation_barrier %a allowed_direction=NONE",
        'sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]>',
        'sdy.all_slice [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]>',
        'sdy.all_reduce {"y"} %a out_sharding=<@mesh, [{"x"}, {}]>',
        'mpmd.named_tensor %a name="n"',
        "mpmd.broadcast %a",
    ],
)
def test_ops_that_only_place_a_value_forward_it(op: str) -> None:
    # The operand of collectives needs a sharding with which they are valid.
    before = {"sdy.all_gather": '[{"x"}, {}]', "sdy.all_reduce": '[{"x"}, {}]'}
    sharding = before.get(op.partition(" ")[0], "[{}, {}]")
    body = f"""sdy.sharding_group %a group_id=0 : {T}
    %b = sdy.sharding_constraint %a <@mesh, {sharding}> : {T}
    %c = {op.replace("%a", "%b")} : {T}
    %d = stablehlo.add %c, %a {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}, {{}}]>]>}} : {T}
    mpmd.return %d : {T}"""
    np.testing.assert_array_equal(run(program(body)), 2 * X)


def test_named_computations_are_inlined_and_sdy_constants_are_lowered() -> None:
    body = f"""%b = mpmd.named_computation<"g"> (%a) (%i: {T}) {{
      %c = sdy.constant dense<3.0> : {T}
      %d = stablehlo.multiply %i, %c : {T}
      mpmd.return %d : {T}
    }} : ({T}) -> {T}
    %e = sdy.named_computation<"h">(%b) (%i: {T}) {{
      sdy.return %i : {T}
    }} : ({T}) -> {T}
    mpmd.return %e : {T}"""
    np.testing.assert_array_equal(run(program(body)), 3 * X)


def test_a_complex_constant_of_sdy_is_lowered() -> None:
    """The bindings have no class for its value."""
    body = f"""%c = sdy.constant dense<(2.0, 1.0)> : tensor<4x8xcomplex<f32>>
    %r = stablehlo.real %c : (tensor<4x8xcomplex<f32>>) -> {T}
    %b = stablehlo.multiply %a, %r : {T}
    mpmd.return %b : {T}"""
    np.testing.assert_array_equal(run(program(body)), 2 * X)


def test_a_reduce_in_a_fragment_combines_its_operands() -> None:
    body = f"""%b = stablehlo.negate %a : {T}
    %c = mpmd.reduce<max> %a, %b : ({T}, {T}) -> {T}
    mpmd.return %c : {T}"""
    np.testing.assert_array_equal(run(program(body)), np.maximum(X, -X))


@pytest.mark.parametrize("target", ["Sharding", "annotate_device_placement"])
def test_custom_calls_that_only_place_a_value_forward_it(target: str) -> None:
    body = f"""%b = stablehlo.custom_call @{target}(%a) {{has_side_effect = true,
      mhlo.frontend_attributes = {{_xla_buffer_placement = "pinned_host"}}}} : ({T}) -> {T}
    mpmd.return %b : {T}"""
    np.testing.assert_array_equal(run(program(body)), X)


def test_ops_in_regions_and_called_functions_are_lowered() -> None:
    body = f"""%0 = func.call @g(%a) : ({T}) -> {T}
    mpmd.return %0 : {T}"""
    after = f"""func.func private @g(%a: {T} {{mhlo.layout_mode = "auto"}}) -> {T} {{
      %n = stablehlo.constant dense<2> : tensor<i32>
      %0:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, {T} cond {{
        %z = stablehlo.constant dense<0> : tensor<i32>
        %p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }} do {{
        %o = stablehlo.constant dense<1> : tensor<i32>
        %m = stablehlo.subtract %i, %o : tensor<i32>
        %w = sdy.sharding_constraint %v <@mesh, [{{"x"}}, {{}}]> : {T}
        %u = func.call @h(%w) : ({T}) -> {T}
        stablehlo.return %m, %u : tensor<i32>, {T}
      }}
      return %0#1 : {T}
    }}
    func.func private @h(%a: {T}) -> {T} {{
      %0 = stablehlo.composite "c.d" %a {{decomposition = @i}} : ({T}) -> {T}
      return %0 : {T}
    }}
    func.func private @i(%a: {T}) -> {T} {{
      %0 = stablehlo.add %a, %a : {T}
      return %0 : {T}
    }}"""
    np.testing.assert_array_equal(run(program(body, after=after)), 4 * X)


def halves(axis: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that subtracts from each half its own maximum."""

    def compute(x: np.ndarray) -> np.ndarray:
        parts = np.split(x, 2, axis)
        return np.concatenate([part - part.max() for part in parts], axis)

    return compute


def minus_max(part: str) -> str:
    """Return a body whose result depends on which part of the argument a device has."""
    return f"""%i = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %r = stablehlo.reduce(%p init: %i) applies stablehlo.maximum across dimensions = [0, 1]
      : ({part}, tensor<f32>) -> tensor<f32>
    %s = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> {part}
    %t = stablehlo.subtract %p, %s : {part}
    sdy.return %t : {part}"""


@pytest.mark.parametrize(
    ("sharding", "part", "axes", "compute"),
    [
        ('[{"x"}, {}], replicated={"y"}', "tensor<2x8xf32>", '"x", "y"', halves(0)),
        ('[{}, {"y"}]', "tensor<4x4xf32>", '"y"', halves(1)),
        ('[{"x", "y"}, {}]', "tensor<2x8xf32>", '"x"', halves(0)),
        ('[{}, {}], replicated={"x"}', T, '"x"', lambda x: x - x.max()),
        (
            '[{"y"}, {"x"}]',
            "tensor<2x4xf32>",
            '"x", "y"',
            lambda x: np.concatenate([halves(1)(part) for part in np.split(x, 2)]),
        ),
        (
            '[{}, {"y", "x"}]',
            "tensor<4x2xf32>",
            '"x", "y"',
            lambda x: np.concatenate([halves(1)(part) for part in np.split(x, 2, 1)], 1),
        ),
    ],
)
def test_a_manual_computation_runs_on_every_shard(
    sharding: str, part: str, axes: str, compute: Any
) -> None:
    text = program(manual(minus_max(part), sharding, sharding, part, axes))
    np.testing.assert_array_equal(run(text), compute(X))


def test_a_manual_computation_may_return_another_sharding() -> None:
    # The argument is split along rows, and the result is concatenated along columns.
    t, result = "tensor<2x4xf32>", "tensor<2x16xf32>"
    body = f"sdy.return %p : {t}"
    text = manual(body, '[{"x"}, {"y"}]', '[{}, {"y", "x"}]', t, '"x", "y"', result=result)
    rows = [X[:2], X[2:]]
    expected = np.concatenate([rows[x][:, y * 4 : y * 4 + 4] for y in (0, 1) for x in (0, 1)], 1)
    np.testing.assert_array_equal(run(program(text, result)), expected)


def test_a_manual_computation_without_operands_and_results_is_erased() -> None:
    body = f"""sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={{}} () {{
      sdy.return
    }} : () -> ()
    mpmd.return %a : {T}"""
    np.testing.assert_array_equal(run(program(body)), X)


def test_a_nested_manual_computation_runs_on_shards_of_shards() -> None:
    part, inner = "tensor<2x8xf32>", "tensor<2x4xf32>"
    body = f"""%q = sdy.manual_computation(%p) in_shardings=[<@mesh, [{{}}, {{"y"}}]>]
      out_shardings=[<@mesh, [{{}}, {{"y"}}]>] manual_axes={{"y"}} (%k: {inner}) {{
{minus_max(inner).replace("%p", "%k")}
}} : ({part}) -> {part}
sdy.return %q : {part}"""
    text = program(manual(body, '[{"x"}, {}]', '[{"x"}, {}]', part, '"x"'))
    expected = np.concatenate([halves(1)(rows) for rows in np.split(X, 2)])
    np.testing.assert_array_equal(run(text), expected)


ALL_REDUCE = """%r = "stablehlo.all_reduce"(%p) ({{
      ^bb0(%s: tensor<f32>, %t: tensor<f32>):
        %u = stablehlo.add %s, %t : tensor<f32>
        stablehlo.return %u : tensor<f32>
    }}) {{replica_groups = dense<{groups}> : tensor<{shape}xi64>}} : ({part}) -> {part}
    sdy.return %r : {part}"""


def test_a_collective_on_a_mesh_of_several_devices_is_an_error() -> None:
    part = "tensor<2x8xf32>"
    body = ALL_REDUCE.format(groups="[[0, 1]]", shape="1x2", part=part)
    text = program(manual(body, '[{"x"}, {}]', '[{"x"}, {}]', part, '"x"'))
    assert error_of(text) == (
        "-:7:6: error: 'stablehlo.all_reduce' op needs all devices of its mesh; fragments run on"
        " one device"
    )


def test_a_collective_on_a_mesh_of_one_device_runs() -> None:
    body = ALL_REDUCE.format(groups="[[0]]", shape="1x1", part=T)
    text = program(manual(body, "[{}, {}]", "[{}, {}]", T, '"x"'), axes='"x"=1')
    text = text.replace("[{}, {}]", '[{"x"}, {}]')
    np.testing.assert_array_equal(run(text), X)


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (
            "%b = stablehlo.partition_id : tensor<ui32>",
            "'stablehlo.partition_id' op needs all devices of its mesh; fragments run on one device",
        ),
        (
            '%k = stablehlo.create_token : !stablehlo.token %b = "stablehlo.outfeed"(%a, %k)'
            f' {{outfeed_config = ""}} : ({T}, !stablehlo.token) -> !stablehlo.token',
            "'stablehlo.outfeed' op communicates with something outside of the program; leave it"
            " out to run the program",
        ),
        (
            f"%b = mpmd.for (%a) {{iterations = 2 : ui32}} (%p: {T}, %i: tensor<i32>) {{"
            f" mpmd.return %p : {T} }} : {T}",
            "'mpmd.for' op cannot be run inside a fragment or between StableHLO ops",
        ),
        (
            "%b = arith.constant 1 : i32",
            "'arith.constant' op cannot be run inside a fragment or between StableHLO ops",
        ),
        (
            f"%b = func.call @g(%a) : ({T}) -> {T}",
            "function @g is declared, but has no body",
        ),
        (
            f"%b = stablehlo.custom_call @foo(%a) {{has_side_effect = true}} : ({T}) -> {T}",
            'XLA cannot run fragment "f": NOT_FOUND: No registered implementation for untyped'
            " custom call to foo for Host",
        ),
    ],
)
def test_ops_that_one_device_cannot_run_are_errors(op: str, message: str) -> None:
    text = program(f"{op} mpmd.return %a : {T}", after=f"func.func private @g({T}) -> {T}")
    place, _, found = error_of(text).partition(": error: ")
    assert found == message
    assert place.startswith("-:")


@pytest.mark.parametrize(
    ("in_", "out", "what"),
    [
        ('[{"x"}, {}]', '[{}, {}], unreduced={"x"}', "result"),
        ('[{}, {}], unreduced={"x"}', '[{"x"}, {}]', "operand"),
    ],
)
def test_unreduced_values_of_a_manual_computation_are_errors(in_: str, out: str, what: str) -> None:
    part = "tensor<2x8xf32>" if what == "result" else T
    result = part if what == "result" else "tensor<8x8xf32>"
    text = manual(f"sdy.return %p : {part}", in_, out, part, '"x"', result=result)
    assert error_of(program(text, result)) == (
        f"-:5:6: error: {what} #0 is unreduced along a manual axis:"
        ' #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>'
    )


def test_a_manual_computation_may_shard_by_a_part_of_an_axis() -> None:
    part = "tensor<2x8xf32>"
    sharding = '[{"x":(2)2}, {}], replicated={"x":(1)2}'
    text = program(manual(minus_max(part), sharding, sharding, part, '"x"'), axes='"x"=4')
    np.testing.assert_array_equal(run(text), halves(0)(X))


def test_a_collective_between_fragments_is_an_error() -> None:
    text = f"""func.func public @main(%x: {T}) -> tensor<ui32>
    attributes {{topology = #mpmd.topology<<"m1": <["x"=1]>>>}} {{
      %0 = stablehlo.replica_id : tensor<ui32>
      return %0 : tensor<ui32>
    }}"""
    assert error_of(text).endswith(
        "'stablehlo.replica_id' op needs all devices of its mesh; fragments run on one device"
    )
