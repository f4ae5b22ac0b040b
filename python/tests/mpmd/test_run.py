"""Programs on eight CPU devices, compared with numpy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sdykit.core import run_pipeline
from sdykit.mlir import ir, make_context
from sdykit.mpmd import ExecutionError, interpret
from support.mpmd.checks import inputs_of
from support.mpmd.on_devices import OnDevices, compared

INPUTS = Path(__file__).parents[1] / "inputs" / "mpmd"

TOPOLOGY = 'topology = #mpmd.topology<<"m1": <["x"=4]>>, <"m2": <["y"=2, "z"=2]>>>'
T = "tensor<4x8xf32>"
M1 = f'!mpmd.mesh_tensor<"m1", {T}>'
M2 = f'!mpmd.mesh_tensor<"m2", {T}>'
ROWS1 = f'!mpmd.mesh_tensor<"m1", {T}, sharding=<@mesh1, [{{"x"}}, {{}}]>>'
CUT1 = f'!mpmd.mesh_tensor<"m1", {T}, sharding=<@mesh1, [{{"x":(2)2}}, {{"x":(1)2, ?}}]>>'
BOTH2 = f'!mpmd.mesh_tensor<"m2", {T}, sharding=<@mesh2, [{{"z"}}, {{"y"}}]>>'
HOST1 = f'!mpmd.mesh_tensor<"m1", {T}, memory_kind="pinned_host">'
DONATED = "{jax.buffer_donor = true}"

X = np.arange(32, dtype=np.float32).reshape(4, 8)
Y = np.linspace(-3, 3, 32, dtype=np.float32).reshape(4, 8)


@pytest.fixture(scope="module")
def devices() -> Iterator[OnDevices]:
    with OnDevices() as made:
        yield made


def main(arguments: str, results: str, body: str, topology: str = TOPOLOGY) -> str:
    return f"""
sdy.mesh @mesh1 = <["x"=4]>
sdy.mesh @mesh2 = <["y"=2, "z"=2]>
func.func public @main({arguments}) -> ({results}) attributes {{{topology}}} {{
{body}
}}"""


def fragment(op: str, operands: str, types: str, result: str, mesh: str = "m1") -> str:
    names = [f"%{letter}" for letter, _ in zip("abc", operands.split(","), strict=False)]
    arguments = ", ".join(f"{name}: {T}" for name in names)
    return f"""mpmd.fragment<mesh="{mesh}", origin=["f"]> ({operands}) ({arguments}) {{
      %r = stablehlo.{op} : {T}
      mpmd.return %r : {T}
    }} : ({types}) -> {result}"""


def test_fragments_run_on_the_devices_of_their_meshes(devices: OnDevices) -> None:
    body = f"""
    %0 = {fragment("add %a, %b", "%x, %y", f"{ROWS1}, {M1}", CUT1)}
    %1 = mpmd.transfer %0 : ({CUT1}) -> {BOTH2}
    %2 = {fragment("multiply %a, %a", "%1", BOTH2, BOTH2, "m2")}
    return %0, %2, %1 : {CUT1}, {BOTH2}, {BOTH2}"""
    text = main(f"%x: {ROWS1}, %y: {M1}", f"{CUT1}, {BOTH2}, {BOTH2}", body)
    ran = devices.run(text, X, Y)
    for found, expected in zip(ran.results, [X + Y, (X + Y) ** 2, X + Y], strict=True):
        np.testing.assert_array_equal(found, expected)
    assert ran.devices == [[0, 1, 2, 3], [4, 5, 6, 7], [4, 5, 6, 7]]
    assert [parts[0].shape for parts in ran.parts] == [(2, 4), (2, 4), (2, 4)]
    assert ran.deleted == [False, False]


def test_parts_of_an_axis_are_on_the_right_devices(devices: OnDevices) -> None:
    """The major part of `x` splits columns, and its minor part rows."""
    (parts,) = devices.run(main(f"%x: {CUT1}", CUT1, f"return %x : {CUT1}"), X).parts
    assert [part.tolist() for part in parts] == [
        X[2 * row : 2 * row + 2, 4 * column : 4 * column + 4].tolist()
        for column in (0, 1)
        for row in (0, 1)
    ]


def test_a_value_without_sharding_is_whole_on_every_device(devices: OnDevices) -> None:
    """Also if XLA would split it, as here, after the operand."""
    body = f"%0 = {fragment('tanh %a', '%x', ROWS1, M1)}\nreturn %0 : {M1}"
    (parts,) = devices.run(main(f"%x: {ROWS1}", M1, body), X).parts
    assert len(parts) == 4
    for part in parts:
        np.testing.assert_allclose(part, np.tanh(X), rtol=1e-6)


@pytest.mark.parametrize("is_exported", [False, True])
def test_donated_inputs_are_deleted_and_others_are_not(
    devices: OnDevices, is_exported: bool
) -> None:
    body = f"""
    %0 = {fragment("add %a, %b", "%x, %y", f"{ROWS1}, {ROWS1}", ROWS1)}
    %1 = {fragment("subtract %a, %b", "%0, %z", f"{ROWS1}, {M1}", M1)}
    return %1 : {M1}"""
    arguments = f"%x: {ROWS1} {DONATED}, %y: {ROWS1}, %z: {M1} {{tf.aliasing_output = 0 : i32}}"
    text = main(arguments, M1, body)
    if is_exported:
        text = exported(text)
        assert "tf.aliasing_output = 0" in text.partition("@f(")[2]
    ran = devices.run(text, X, Y, X)
    np.testing.assert_array_equal(ran.results[0], X + Y - X)
    assert ran.deleted == [True, False, True]


def test_donated_inputs_are_deleted_also_without_a_consumer(devices: OnDevices) -> None:
    """But not if they are returned: then the result is the input."""
    text = main(f"%x: {M1} {DONATED}, %y: {M1} {DONATED}", M1, f"return %y : {M1}")
    ran = devices.run(text, X, Y)
    np.testing.assert_array_equal(ran.results[0], Y)
    assert ran.deleted == [True, False]


def test_meshes_may_share_a_function(devices: OnDevices) -> None:
    """Its shardings name axes of one mesh; both meshes have them."""
    topology = 'topology = #mpmd.topology<<"m1": <["x"=4]>>, <"m2": <["x"=4]>>>'
    rows2 = ROWS1.replace('"m1"', '"m2"').replace("@mesh1", "@mesh2")
    body = f"""
    %0 = {fragment("tanh %a", "%x", ROWS1, ROWS1)}
    %1 = mpmd.transfer %0 : ({ROWS1}) -> {rows2}
    %2 = {fragment("tanh %a", "%1", rows2, rows2, "m2")}
    return %2 : {rows2}"""
    text = main(f"%x: {ROWS1}", rows2, body, topology)
    text = text.replace('@mesh2 = <["y"=2, "z"=2]>', '@mesh2 = <["x"=4]>')
    shared = exported(text, "mpmd-lower-to-fragment-calls{group-across-meshes=true}")
    assert shared.count("func.func") == 2
    ran = devices.run(shared, X)
    np.testing.assert_allclose(ran.results[0], np.tanh(np.tanh(X)), rtol=1e-6)
    assert ran.devices == [[4, 5, 6, 7]]


def test_a_donated_value_may_be_another_operand_of_the_same_fragment(devices: OnDevices) -> None:
    body = f"%0 = {fragment('multiply %a, %b', '%x, %x', f'{M1}, {M1}', M1)}\nreturn %0 : {M1}"
    ran = devices.run(main(f"%x: {M1} {DONATED}", M1, body), X)
    np.testing.assert_array_equal(ran.results[0], X * X)
    assert ran.deleted == [True]


def test_a_value_is_consumed_after_the_transfers_that_read_it(devices: OnDevices) -> None:
    """The transfer is on another thread; many programs, since the order is a race."""
    function = f"""
func.func @double(%a: {T} {{tf.aliasing_output = 0 : i32}}) -> {T}
    attributes {{mesh_shape = #sdy.mesh<["x"=4]>}} {{
  %r = stablehlo.add %a, %a : {T}
  return %r : {T}
}}"""
    call = f'mpmd.fragment_call<mesh="m1", origin=["f"]> @double(%x) : ({M1}) -> {M1}'
    body = f"""
    %0 = mpmd.transfer %x : ({M1}) -> {M2}
    %1 = {call}
    return %0, %1 : {M2}, {M1}"""
    text = main(f"%x: {M1} {DONATED}", f"{M2}, {M1}", body) + function
    ran = devices.run(text, X, times=20)
    np.testing.assert_array_equal(ran.results[0], X)
    np.testing.assert_array_equal(ran.results[1], 2 * X)


def test_values_are_in_the_memory_of_their_types_and_marks(devices: OnDevices) -> None:
    marked = M1 + ' {mhlo.memory_kind = "pinned_host"}'
    body = f"""
    %0 = mpmd.transfer %x : ({HOST1}) -> {M1}
    %1:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%0) (%a: {T}) {{
      %r = stablehlo.add %a, %a : {T}
      %h = stablehlo.custom_call @annotate_device_placement(%r)
          {{has_side_effect = true, mhlo.frontend_attributes = {{_xla_buffer_placement = "pinned_host"}}}}
          : ({T}) -> {T}
      mpmd.return %h, %r : {T}, {T}
    }} : ({M1}) -> ({M1}, {M1})
    %2 = mpmd.transfer %1#1 : ({M1}) -> {HOST1}
    return %1#0, %1#1, %2, %x : {M1}, {M1}, {HOST1}, {HOST1}"""
    text = main(f"%x: {HOST1}", f"{marked}, {M1}, {HOST1}, {HOST1}", body)
    ran = devices.run(text, X)
    assert ran.kinds == ["pinned_host", "device", "pinned_host", "pinned_host"]
    for found, expected in zip(ran.results, [2 * X, 2 * X, 2 * X, X], strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_cpu_mesh_has_the_devices_of_its_owner(devices: OnDevices) -> None:
    topology = 'topology = #mpmd.topology<<"m1/cpu": <["x"=4]>>, <"m1": <["x"=4]>>>'
    host = M1.replace("m1", "m1/cpu")
    body = f"""
    %0 = mpmd.transfer %x : ({host}) -> {ROWS1}
    %1 = {fragment("add %a, %a", "%0", ROWS1, ROWS1)}
    %2 = mpmd.transfer %1 : ({ROWS1}) -> {host}
    return %2, %1 : {host}, {ROWS1}"""
    ran = devices.run(main(f"%x: {host}", f"{host}, {ROWS1}", body, topology), X)
    np.testing.assert_array_equal(ran.results[0], 2 * X)
    assert ran.devices == [[0, 1, 2, 3], [0, 1, 2, 3]]


def test_meshes_are_on_the_devices_that_the_caller_wants(devices: OnDevices) -> None:
    body = f"""
    %0 = mpmd.transfer %x : ({ROWS1}) -> {BOTH2}
    %1 = mpmd.transfer %0 : ({BOTH2}) -> {M1}
    return %0, %1 : {BOTH2}, {M1}"""
    wanted = {"m1": [7, 2, 0, 5], "m2": [0, 2, 5, 7]}
    ran = devices.run(main(f"%x: {ROWS1}", f"{BOTH2}, {M1}", body), X, devices=wanted)
    np.testing.assert_array_equal(ran.results[0], X)
    np.testing.assert_array_equal(ran.results[1], X)
    assert ran.devices == [wanted["m2"], wanted["m1"]]


def test_wide_and_narrow_elements_keep_their_bits(devices: OnDevices) -> None:
    for dtype, element in {"int64": "i64", "float64": "f64", "int8": "i8", "bool": "i1"}.items():
        array = (X % 3).astype(dtype)
        m1, m2 = (each.replace("f32", element) for each in (ROWS1, BOTH2))
        body = f"%0 = mpmd.transfer %x : ({m1}) -> {m2}\nreturn %0 : {m2}"
        (found,) = devices.run(main(f"%x: {m1}", m2, body), array).results
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


def test_spans_follow_the_values(devices: OnDevices) -> None:
    """Each mesh runs a chain of its own; that of `m2` begins with a transfer."""
    names = [f"%{mesh}_{at}" for at in range(8) for mesh in ("p", "q")]
    lines, last = [f"%q = mpmd.transfer %y : ({ROWS1}) -> {BOTH2}"], {"p": "%x", "q": "%q"}
    for name in names:
        which = name[1]
        mesh, type_ = ("m1", ROWS1) if which == "p" else ("m2", BOTH2)
        lines.append(f"{name} = {fragment('tanh %a', last[which], type_, type_, mesh)}")
        last[which] = name
    returned = f"return {last['p']}, {last['q']} : {ROWS1}, {BOTH2}"
    text = main(f"%x: {ROWS1}, %y: {ROWS1}", f"{ROWS1}, {BOTH2}", "\n".join([*lines, returned]))
    spans = devices.run(text, X, X).spans
    assert [span.step for span in spans] == list(range(17))
    assert spans[0].meshes == ("m1", "m2")
    assert spans[0].name == "transfer"
    chains = [[span for span in spans[1:] if span.meshes == (mesh,)] for mesh in ("m1", "m2")]
    for chain in ([spans[0], *chains[1]], chains[0]):
        for before, after in pairwise(chain):
            assert 0 <= before.start <= before.end <= after.start <= after.end


@pytest.mark.parametrize("name", ["decoder", "mlp", "offloaded_mlp"])
def test_partitioned_models_compute_what_the_interpreter_computes(
    devices: OnDevices, name: str
) -> None:
    """On two meshes of four devices; one has state in host memory, and meshes of CPUs."""
    text = (INPUTS / f"{name}.mlir").read_text()
    module = ir.Module.parse(text, make_context())
    inputs = [
        (each / 10).astype(each.dtype) if each.dtype == np.float32 else abs(each)
        for each in inputs_of(module, 0)
    ]
    ran = devices.run(text, *inputs)
    for found, expected in zip(ran.results, interpret(module, inputs), strict=True):
        assert expected is not None
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert set(ran.kinds) == {"device"} | ({"pinned_host"} if name == "offloaded_mlp" else set())


def loop(body: str, index: str = '!mpmd.mesh_tensor<"m1", tensor<ui32>>') -> str:
    return f"""%0 = mpmd.for (%x) {{iterations = 3 : ui32}} (%p: {ROWS1}, %i: {index}) {{
      {body}
    }} : {ROWS1}
    return %0 : {ROWS1}"""


POWER = f"""%1 = mpmd.fragment<mesh="m1", origin=["f"]> (%p, %i) (%a: {T}, %n: tensor<ui32>) {{
        %c = stablehlo.convert %n : (tensor<ui32>) -> tensor<f32>
        %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> {T}
        %r = stablehlo.add %a, %b : {T}
        mpmd.return %r : {T}
      }} : ({ROWS1}, !mpmd.mesh_tensor<"m1", tensor<ui32>>) -> {ROWS1}"""


def test_a_loop_is_unrolled(devices: OnDevices) -> None:
    """In another loop, with its index, and with a value from outside of it."""
    inner = f"""%q = mpmd.for (%p) {{iterations = 2 : ui32}} (%s: {ROWS1}, %j: tensor<ui32>) {{
        %2 = {fragment("add %a, %b", "%s, %x", f"{ROWS1}, {ROWS1}", ROWS1)}
        mpmd.return %2 : {ROWS1}
      }} : {ROWS1}
      {POWER.replace("(%p,", "(%q,")}
      mpmd.return %1 : {ROWS1}"""
    ran = devices.run(main(f"%x: {ROWS1}", ROWS1, loop(inner)), X)
    np.testing.assert_array_equal(ran.results[0], X + 6 * X + 0 + 1 + 2)
    names = [span.name for span in ran.spans]
    assert sum("@f" in name for name in names) == 9
    assert sum("inferred" in name for name in names) == 3


def test_the_index_of_a_loop_must_be_on_a_mesh(devices: OnDevices) -> None:
    body = f"""%1 = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
      mpmd.return %p : {ROWS1}"""
    with pytest.raises(ExecutionError, match="op is used, and is on no mesh: tensor<ui32>"):
        devices.run(main(f"%x: {ROWS1}", ROWS1, loop(body, "tensor<ui32>")), X)


def test_a_dimension_must_be_split_evenly(devices: OnDevices) -> None:
    type_ = ROWS1.replace("4x8", "6x8")
    text = main(f"%x: {type_}", type_, f"return %x : {type_}")
    with pytest.raises(ExecutionError) as caught:
        devices.run(text, np.ones((6, 8), np.float32))
    assert str(caught.value) == (
        "argument #0 of @main: dimension 0 of size 6 cannot be split evenly into 4 parts by"
        ' #sdy.sharding<@mesh1, [{"x"}, {}]>; pad it to 8, or do not divide it: arrays of JAX have'
        " equal parts"
    )


def test_random_programs_compute_what_the_interpreter_computes(devices: OnDevices) -> None:
    outcomes = [devices(compared, seed) for seed in range(200, 212)]
    assert [each for each in outcomes if each.startswith("differs")] == []
    assert outcomes.count("equal") >= 8  # Others call functions that XLA does not have.


def exported(text: str, pipeline: str = "mpmd-export-pipeline") -> str:
    module = ir.Module.parse(text, make_context())
    run_pipeline(module, pipeline)
    return str(module)
