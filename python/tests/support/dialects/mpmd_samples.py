"""A module for each `mpmd` operation; what is not given here holds for all of them."""

from __future__ import annotations

_TENSOR = "tensor<4x8xf32>"
_MESH_TENSOR = f'!mpmd.mesh_tensor<"m1", {_TENSOR}>'
_TOPOLOGY = '#mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>'
_CALLEES = f"""
func.func private @step(%a: {_MESH_TENSOR}) -> {_MESH_TENSOR} {{
  return %a : {_MESH_TENSOR}
}}
func.func private @body(%a: {_TENSOR}) -> {_TENSOR}
    attributes {{mesh_shape = #sdy.mesh<["x"=2]>}} {{
  return %a : {_TENSOR}
}}"""

_FRAGMENT = (
    'mpmd.fragment<mesh="m1", origin=["f"(1), "g"], stage=2, in_shardings=[<@mesh, [{"x"}, {}]>],'
    f" out_shardings=[<@mesh, [{{}}, {{?}}]>]> (%mesh_tensor) (%b: {_TENSOR})"
    f" {{ mpmd.return %b : {_TENSOR} }} : ({_MESH_TENSOR}) -> {_MESH_TENSOR}"
)

SAMPLES: dict[str, str] = {
    "assign": f'mpmd.assign {{origin = "f"}} %tensor : ({_TENSOR}) -> {_MESH_TENSOR}',
    "broadcast": f"mpmd.broadcast %tensor : {_TENSOR}",
    "call": f"mpmd.call @step(%mesh_tensor) : ({_MESH_TENSOR}) -> {_MESH_TENSOR}",
    "for": (
        "mpmd.for (%tensor) {iterations = 6 : ui32, unroll_factor = 3 : ui32}"
        f" (%b: {_TENSOR}, %i: tensor<ui32>) {{ mpmd.return %b : {_TENSOR} }} : {_TENSOR}"
    ),
    "fragment": _FRAGMENT,
    "fragment_call": (
        'mpmd.fragment_call<mesh="m1", origin=["f"]> @body(%mesh_tensor)'
        f" : ({_MESH_TENSOR}) -> {_MESH_TENSOR}"
    ),
    "named_computation": (
        f'mpmd.named_computation<"f"(1)> (%tensor) (%b: {_TENSOR})'
        f" {{ mpmd.return %b : {_TENSOR} }} : ({_TENSOR}) -> {_TENSOR}"
    ),
    "named_tensor": f'mpmd.named_tensor %tensor name="activations" : {_TENSOR}',
    "reduce": f"mpmd.reduce<max> %tensor : ({_TENSOR}) -> {_TENSOR}",
    "return": _FRAGMENT,
    "transfer": (
        f"mpmd.transfer %mesh_tensor : ({_MESH_TENSOR}) -> {_MESH_TENSOR.replace('m1', 'm2')}"
    ),
    "unassign": f'mpmd.unassign {{origin = "f"}} %mesh_tensor : ({_MESH_TENSOR}) -> {_TENSOR}',
}
"""By the name of the operation without `mpmd.`."""


def module_text(name: str) -> str:
    """Return a module that holds the operation."""
    return f"""{_CALLEES}
func.func @main(%tensor: {_TENSOR}, %mesh_tensor: {_MESH_TENSOR})
    attributes {{topology = {_TOPOLOGY}}} {{
  %0 = {SAMPLES[name]}
  return
}}"""
