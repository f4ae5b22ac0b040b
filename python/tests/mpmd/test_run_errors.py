"""What cannot be run is an error, and names what is wrong: the program, the devices or the inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from sdykit.mpmd import Executable, ExecutionError, run

T = "tensor<4x8xf32>"
M1 = f'!mpmd.mesh_tensor<"m1", {T}>'
M2 = f'!mpmd.mesh_tensor<"m2", {T}>'
ONE = '<"m1": <["x"=1]>>'
TWO = '<"m1": <["x"=1]>>, <"m2": <["y"=1]>>'
X = np.ones((4, 8), np.float32)
DONATED = "{jax.buffer_donor = true}"
F = f"""
func.func @f(%a: {T} {{tf.aliasing_output = 0 : i32}}) -> {T}
    attributes {{mesh_shape = #sdy.mesh<["x"=1]>}} {{
  %r = stablehlo.add %a, %a : {T}
  return %r : {T}
}}"""


def main(
    body: str = f"return %x : {M1}",
    arguments: str = f"%x: {M1}",
    results: str = M1,
    topology: str = ONE,
    after: str = "",
) -> str:
    return f"""
    func.func public @main({arguments}) -> ({results})
        attributes {{topology = #mpmd.topology<{topology}>}} {{
      {body}
    }}{after}"""


def call(operand: str = "%x", callee: str = "f", mesh: str = "m1", type_: str = M1) -> str:
    return f'mpmd.fragment_call<mesh="{mesh}", origin=["f"]> @{callee}({operand}) : ({type_}) -> {type_}'


def error_of(text: Any, *inputs: Any, **kwargs: Any) -> str:
    with pytest.raises(ExecutionError) as caught:
        run(text, inputs, **kwargs)
    return str(caught.value)


def device() -> Any:
    return jax.devices()[0]


INPUTS = {
    "none": ([], "@main takes 1 argument, found 0"),
    "too many": ([X, X], "@main takes 1 argument, found 2"),
    "missing": ([None], "argument #0 (w) of @main: expected an array, found None"),
    "shape": ([X.T], "argument #0 (w) of @main: expected shape (4, 8), found (8, 4)"),
    "dtype": (
        [X.astype(np.int32)],
        "argument #0 (w) of @main: expected dtype float32, found int32",
    ),
    "ragged": (
        [[[1], [2, 3]]],
        "argument #0 (w) of @main: expected an array, and numpy cannot make one of it: setting an"
        " array element with a sequence. The requested array has an inhomogeneous shape after 1"
        " dimensions. The detected shape was (2,) + inhomogeneous part.",
    ),
}


@pytest.mark.parametrize(("inputs", "message"), INPUTS.values(), ids=INPUTS)
def test_inputs_must_fit_the_arguments(inputs: list[Any], message: str) -> None:
    assert error_of(main(arguments=f'%x: {M1} loc("w")'), *inputs) == message


DEVICES: dict[str, tuple[str, Callable[[], Any], str]] = {
    "too few": (
        '<"m1": <["x"=4]>>, <"m1/cpu": <["x"=4]>>, <"m2": <["y"=2, "z"=30]>>',
        lambda: None,
        'the meshes "m1" (4), "m2" (60) need 64 devices, but JAX has 1 CPU device; call'
        ' jax.config.update("jax_num_cpu_devices", 64) before JAX is used, or let meshes share'
        " devices: devices={...}",
    ),
    "no mapping": (
        ONE,
        lambda: ["m1"],
        "devices: expected the devices of each mesh, a mapping, found ['m1']",
    ),
    "unknown mesh": (
        TWO,
        lambda: {"m3": [device()]},
        """devices: the topology has no mesh 'm3'; it has "m1", "m2\"""",
    ),
    "missing mesh": (
        TWO,
        lambda: {"m1": [device()]},
        'devices: mesh "m2" has none; expected an entry for it',
    ),
    "no devices": (ONE, lambda: {"m1": []}, 'mesh "m1" takes 1 devices, found 0: []'),
    "a number": (
        ONE,
        lambda: {"m1": [0]},
        "devices['m1']: expected CPU devices of JAX, found 0",
    ),
    "not a list": (
        ONE,
        lambda: {"m1": 0},
        "devices['m1']: expected JAX devices or a jax.sharding.Mesh, found 0",
    ),
    "twice": (
        '<"m1": <["x"=2]>>',
        lambda: {"m1": [device(), device()]},
        "devices['m1']: a device occurs twice: [CpuDevice(id=0), CpuDevice(id=0)]",
    ),
    "of the owner": (
        '<"m1": <["x"=1]>>, <"m1/cpu": <["x"=2]>>',
        lambda: None,
        'mesh "m1/cpu" takes 2 devices, found 1: [CpuDevice(id=0)]',
    ),
    "device ids": (
        '<"m1": <["x"=2], device_ids=[1, 0]>>',
        lambda: None,
        'mesh "m1" has device_ids=[1, 0], which cannot be run; leave them out of the program, and'
        ' list the devices in this order: devices={"m1": [jax.devices()[at] for at in [1, 0]]}',
    ),
}


@pytest.mark.parametrize(("topology", "devices", "message"), DEVICES.values(), ids=DEVICES)
def test_devices_must_fit_the_meshes(
    topology: str, devices: Callable[[], Any], message: str
) -> None:
    if len(jax.devices()) > 1:
        pytest.skip("the messages are for one device")
    assert error_of(main(topology=topology), X, devices=devices()) == message


def typed(type_: str) -> str:
    return main(f"return %x : {type_}", f"%x: {type_}", type_)


PROGRAMS = {
    "no topology": (
        "func.func @main() { return }",
        "-:1:1: error: function @main has no topology, so it is not an MPMD program",
    ),
    "no function": ("module {}", "the module has no function @main; it has no functions"),
    "invalid text": ("func.func @main(", "-:1:16: error: expected non-function type"),
    "another op": (
        main(f"%0 = stablehlo.constant dense<1.0> : {T}\n return %x : {M1}"),
        "-:4:12: error: 'stablehlo.constant' op cannot be run on devices, only mpmd.fragment_call"
        " and mpmd.transfer can; sdykit.mpmd.interpret runs other ops",
    ),
    "argument on no mesh": (
        main("return %y : tensor<2xf32>", "%y: tensor<2xf32>", "tensor<2xf32>"),
        "argument #0 of @main is on no mesh: tensor<2xf32>",
    ),
    "unknown memory": (
        main(arguments=f'%x: {M1} {{mhlo.memory_kind = "hbm"}}'),
        "argument #0 of @main is in memory \"hbm\", but CPU devices have only 'device',"
        " 'pinned_host', 'unpinned_host'",
    ),
    "two kinds of memory": (
        typed(M1.replace(">>", '>, memory_kind="pinned_host">')).replace(
            ") -> ", ' {mhlo.memory_kind = "device"}) -> ', 1
        ),
        'argument #0 of @main is marked to be in "device", but its type says "pinned_host"',
    ),
    "unreduced": (
        'sdy.mesh @mesh = <["x"=1]>\n'
        + typed(M1.replace(">>", '>, sharding=<@mesh, [{}, {}], unreduced={"x"}>>')),
        "argument #0 of @main is unreduced, which cannot be run: "
        '#sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>',
    ),
    "use after donation": (
        main(f"%0 = {call()}\n %1 = {call()}\n return %1 : {M1}", f"%x: {M1} {DONATED}", after=F),
        "-:5:7: error: value donated to fragment call @f at -:4:12 is read again by operand #0 of"
        " fragment call @f; it was argument #0 of @main",
    ),
    "return after donation": (
        main(f"%0 = {call()}\n return %x : {M1}", f"%x: {M1} {DONATED}", after=F),
        "-:5:2: error: value donated to fragment call @f at -:4:12 is read again by operand #0 of"
        " return; it was argument #0 of @main",
    ),
    "donation of an unmarked argument": (
        main(f"%0 = {call()}\n return %0 : {M1}", after=F),
        "-:4:12: error: operand #0 of fragment call @f is donated, but it is argument #0 of @main,"
        " which the function does not mark with jax.buffer_donor or tf.aliasing_output",
    ),
    "memory of an operand": (
        main(
            f"%0 = {call()}\n return %0 : {M1}",
            after=F.replace("{tf.aliasing_output = 0 : i32}", '{mhlo.memory_kind = "pinned_host"}'),
        ),
        '-:4:12: error: operand #0 of fragment call @f is expected in "pinned_host", but argument'
        ' #0 of @main is in "device"',
    ),
    "memory of a result": (
        main(results=f'{M1} {{mhlo.memory_kind = "pinned_host"}}'),
        '-:2:5: error: result #0 of the function is expected in "pinned_host", but argument #0 of'
        ' @main is in "device"',
    ),
    "unknown custom call": (
        main(
            f"%0 = {call()}\n return %0 : {M1}",
            after=F.replace("stablehlo.add %a, %a", "stablehlo.custom_call @nowhere(%a)")
            .replace("{tf.aliasing_output = 0 : i32}", "")
            .replace(f": {T}\n  return", f": ({T}) -> {T}\n  return"),
        ),
        "-:4:12: error: XLA cannot compile fragment call @f: NOT_FOUND: No registered"
        " implementation for untyped custom call to nowhere for Host",
    ),
    "Python callback": (
        main(
            f"%0 = {call()}\n return %0 : {M1}",
            after=F.replace(
                "stablehlo.add %a, %a", "stablehlo.custom_call @xla_python_cpu_callback(%a)"
            )
            .replace("{tf.aliasing_output = 0 : i32}", "")
            .replace(f": {T}\n  return", f": ({T}) -> {T}\n  return"),
        ),
        "-:9:8: error: the op calls a Python function of the process that lowered the program;"
        " leave out callbacks such as jax.debug.print",
    ),
}


@pytest.mark.parametrize(("text", "message"), PROGRAMS.values(), ids=PROGRAMS)
def test_programs_that_cannot_be_run(text: str, message: str) -> None:
    assert error_of(text, X).startswith(message)


def test_what_is_no_module_is_an_error() -> None:
    assert error_of(7) == "expected an ir.Module or its text, found int"


def test_an_export_that_fails_says_why() -> None:
    fragment = f"""mpmd.fragment<mesh="m1", origin=["f"]> (%x)
        {{arg_attrs = [{{jax.buffer_donor = true}}]}} (%a: {T}) {{
      mpmd.return %a : {T}
    }} : ({M1}) -> {M1}"""
    message = error_of(main(f"%0 = {fragment}\n return %0 : {M1}"), X)
    assert message == (
        "-:4:12: error: 'mpmd.fragment' op argument #0 has jax.buffer_donor = true already; expected"
        " a fragment without marks of aliasing and donation"
    )


def test_a_consumed_input_cannot_be_passed_again() -> None:
    program = Executable(
        main(arguments=f"%x: {M1} {DONATED}", body=f"%0 = {call()}\n return %0 : {M1}", after=F)
    )
    first = jax.device_put(X, program.arguments[0].sharding, may_alias=False)
    program([first])
    with pytest.raises(ExecutionError) as caught:
        program([first])
    assert str(caught.value) == (
        "argument #0 of @main has been deleted: a run consumes the inputs that the function marks"
        " with jax.buffer_donor or tf.aliasing_output; pass a result of that run, or a copy"
    )


def test_a_consumed_input_cannot_be_another_input() -> None:
    text = main(
        arguments=f"%x: {M1} {DONATED}, %y: {M1}",
        body=f"%0 = {call()}\n return %0, %y : {M1}, {M1}",
        results=f"{M1}, {M1}",
        after=F,
    )
    array = jax.device_put(X, may_alias=False)
    assert error_of(text, array, array) == (
        "argument #1 of @main and argument #0 of @main are the same array, which the function"
        " consumes; pass a copy as one of them"
    )
    assert not array.is_deleted()
