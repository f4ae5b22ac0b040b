"""The constraints in the descriptions of the `mpmd` operations are those of the verifier.

What is rejected differs in one thing from what `test_mpmd_accepted.py` shows to be accepted.
"""

from __future__ import annotations

import re

import pytest

from sdykit.mlir import ir, make_context
from support.dialects.mpmd_texts import (
    M1,
    M2,
    M3,
    TENSOR,
    TOKEN,
    WITH_TOPOLOGY,
    assign,
    call,
    callee,
    fragment,
    fragment_call,
    in_memory,
    loop,
    main,
    named,
    on,
    private,
    reduce,
    split,
    transfer,
    unassign,
)

FUNC = "expects parent op 'func.func'"
FUNC_OR_FOR = "expects parent op to be one of 'func.func, mpmd.for'"
NO_MESH = "Topology doesn't have a mesh with name: m3"
NO_TOPOLOGY = "Function does not have a topology attribute: main"
OTHER_OPERAND = "expected the mesh name of the operand to match that of the fragment op: m2 != m1"
OTHER_RESULT = "expected the mesh name of the result to match that of the fragment op: m2 != m1"
NO_AXIS = 'unknown axis name: "q"'
NOT_DIVISIBLE = "dim 0 with size 3 is not divisible by its sharded size 2"
ARGUMENTS = "number of block arguments must match the number of operands respectively: 2 != 1"
RETURNED = "number of returned values must match the number of results respectively: 0 != 1"
FROM_OUTSIDE = "using value defined outside the region"
REPLICATED = "MeshTensorType should be fully replicated"

TWO_OF_A_NAME = 'attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m1" : <["q"=2]>>>}'
LOCAL, SCALAR, THREE = "tensor<2x8xf32>", "tensor<f32>", "tensor<3x8xf32>"
CONSTANT = f"%q = stablehlo.constant dense<1.0> : {TENSOR} "
RETURN_Q = f"mpmd.return %q : {TENSOR}"
RETURN_SCALAR = f"%s = stablehlo.constant dense<1.0> : {SCALAR} mpmd.return %s : {SCALAR}"


def inside(text: str) -> str:
    """Return an operation as the body of a loop over mesh tensors."""
    return main(loop(operand=M1, body=text.replace("%a", "%b")), M1, others=callee())


def alone(text: str, a: str) -> str:
    """Return an operation in a module, outside of a function."""
    return f'%a = "test.make"() : () -> {a} {text}'


FRAGMENT = [
    (FUNC_OR_FOR, alone(fragment(), M1)),
    (NO_MESH, main(fragment(M3, result=M3, mesh="m3"), M3)),
    (NO_TOPOLOGY, main(fragment(), M1, "")),
    (OTHER_OPERAND, main(fragment(M2), M2)),
    (OTHER_RESULT, main(fragment(result=M2), M1)),
    (NO_AXIS, main(fragment(split(axis="q")), split(axis="q"))),
    (NO_AXIS, main(fragment(split(axis="q")), split(axis="q"), TWO_OF_A_NAME)),
    (NOT_DIVISIBLE, main(fragment(split(tensor=THREE), THREE), split(tensor=THREE))),
    (ARGUMENTS, main(fragment(argument=f"{TENSOR}, %c: {TENSOR}"), M1)),
    (RETURNED, main(fragment(body="mpmd.return"), M1)),
    (f"global tensor type operand: '{TENSOR}', got: '{LOCAL}'", main(fragment(M1, LOCAL), M1)),
    (
        f"global tensor type operand: '{TENSOR}', got: '{LOCAL}'",
        main(fragment(split(), LOCAL), split()),
    ),
    (
        f"global tensor type result: '{TENSOR}', got: '{SCALAR}'",
        main(fragment(body=RETURN_SCALAR), M1),
    ),
    (f"to match the operand: '{TOKEN}', got: '{TENSOR}'", main(fragment(TOKEN), TOKEN)),
    (f"to match the result: '{TOKEN}', got: '{TENSOR}'", main(fragment(result=TOKEN), M1)),
    (FROM_OUTSIDE, main(CONSTANT + fragment(body=RETURN_Q), M1)),
    ("to end with 'mpmd.return'", main(fragment(body=f"sdy.return %b : {TENSOR}"), M1)),
    ("must be variadic of mesh tensor type or token", main(fragment(TENSOR))),
]
FRAGMENT_CALL = [
    (FUNC, inside(fragment_call())),
    (NO_MESH, main(fragment_call(M3, M3, "m3"), M3, others=callee())),
    (NO_TOPOLOGY, main(fragment_call(), M1, "", callee())),
    (OTHER_OPERAND, main(fragment_call(M2), M2, others=callee())),
    (OTHER_RESULT, main(fragment_call(result=M2), M1, others=callee())),
    (NO_AXIS, main(fragment_call(split(axis="q")), split(axis="q"), others=callee())),
    (
        NOT_DIVISIBLE,
        main(fragment_call(split(tensor=THREE)), split(tensor=THREE), others=callee(THREE)),
    ),
    ("'h' does not reference a valid function", main(fragment_call(callee="h"), M1)),
    (
        "Function does not have a mesh_shape attribute: p",
        main(fragment_call(callee="p"), M1, others=private(a=TENSOR)),
    ),
    (
        'function to match: #sdy.mesh<["x"=2]> vs #sdy.mesh<["x"=2], device_ids=[1, 0]>',
        main(fragment_call(), M1, others=callee(mesh='<["x"=2], device_ids=[1, 0]>')),
    ),
    (ARGUMENTS, main(fragment_call(), M1, others=callee(arguments=", %b: tensor<f32>"))),
    (
        f"global tensor type operand: '{TENSOR}', got: '{LOCAL}'",
        main(fragment_call(split()), split(), others=callee(LOCAL)),
    ),
    ("must be variadic of mesh tensor type, but", main(fragment_call(TOKEN), TOKEN)),
]
TRANSFER = [
    (FUNC, inside(transfer())),
    (NO_MESH, main(transfer(result=M3), M1)),
    (NO_TOPOLOGY, main(transfer(), M1, "")),
    ("global tensor types are different", main(transfer(result=on("m2", THREE)), M1)),
    (NO_AXIS, main(transfer(result=split(axis="q")), M1)),
    (NOT_DIVISIBLE, main(transfer(on(tensor=THREE), split(tensor=THREE)), on(tensor=THREE))),
    (
        "memory kind must be either 'pinned_host' or 'device'. Found 'host'.",
        main(transfer(result=in_memory("host")), M1),
    ),
]
ASSIGN = [
    (FUNC_OR_FOR, alone(assign(M1), TENSOR)),
    (NO_MESH, main(assign(M3))),
    (f"type '{TENSOR}' and mesh_type ranked tensor type: '{THREE}'", main(assign(on("m1", THREE)))),
    (REPLICATED, main(assign(split()))),
    (NO_AXIS, main(assign(split(axis="q")))),
]
UNASSIGN = [
    (FUNC_OR_FOR, alone(unassign(M1), M1)),
    (NO_MESH, main(unassign(M3), M3)),
    (f"type '{THREE}' and mesh_type ranked tensor type: '{TENSOR}'", main(unassign(M1, THREE), M1)),
    (REPLICATED, main(unassign(split()), split())),
]
NAMED_COMPUTATION = [
    ("must be variadic of ranked tensor of", main(named("tensor<index>"), "tensor<index>")),
    (ARGUMENTS, main(named(argument=f"{TENSOR}, %c: {TENSOR}"))),
    (RETURNED, main(named(body="mpmd.return"))),
    ("block argument to match the type of operand", main(named(argument=THREE))),
    ("returned value to match the type of result", main(named(body=RETURN_SCALAR))),
    (FROM_OUTSIDE, main(named(body=f"mpmd.return %a : {TENSOR}"))),
]
REDUCE = [
    ("expected 1 or more operands, but found 0", main(reduce("add", 0))),
    ("exactly one operand if the reduction type is none", main(reduce("none", 2))),
    ("requires the same type for all operands and results", main(reduce("add", 2, SCALAR))),
]
CALL = [
    (
        "can only be used in a function or for_op block but was called from inside op",
        main(
            fragment(body=f"{call(TENSOR, TENSOR).replace('%a', '%b')} mpmd.return %c : {TENSOR}"),
            M1,
            others=private(a=TENSOR),
        ),
    ),
    (
        "can only be used directly by the entrypoint function",
        main("", others=private() + private(WITH_TOPOLOGY, body=call()).replace("@p", "@q", 1)),
    ),
    (
        "callee with topology must also have visibility set to private",
        main(call(), M1, others=private(WITH_TOPOLOGY).replace("private ", "")),
    ),
    ("Expected call operand to have type", main(call(), M1, others=private(a=M2))),
]
FOR = [
    ("iterations must be greater than zero", main(loop("iterations = 0 : ui32"))),
    (
        "number of iterations 6 isn't divisible by unroll factor 4",
        main(loop("iterations = 6 : ui32, unroll_factor = 4 : ui32")),
    ),
    (
        "type ids in operands/results are not identical",
        main(
            f"{assign(M1)} %l:2 = mpmd.for (%a, %m) {{iterations = 6 : ui32}} (%b: {TENSOR}, "
            f"%c: {M1}, %i: tensor<ui32>) {{ mpmd.return %b, %c : {TENSOR}, {M1} }} : "
            f"{TENSOR}, {M1}"
        ),
    ),
    (
        "requires the same type for operand and result at index 0",
        main(
            f'%l = "mpmd.for"(%a) ({{ ^bb0(%b: {TENSOR}, %i: tensor<ui32>): mpmd.return %b : '
            f"{TENSOR} }}) {{iterations = 6 : ui32}} : ({TENSOR}) -> {THREE}"
        ),
    ),
    ("wrong number of arguments", main(loop(argument=f"{TENSOR}, %c: {TENSOR}"))),
    ("wrong argument type at argument no. 0", main(loop(operand=TENSOR, argument=THREE))),
    ("index must have a 32-bit integer rank-0 tensor type", main(loop(index="tensor<ui64>"))),
    ("variable has invalid type", main(loop(operand=M1, index=on(tensor="tensor<f32>")), M1)),
]
RETURN = [("must be the last operation in the parent block", main("mpmd.return"))]

REJECTED = {
    "fragment": FRAGMENT,
    "fragment_call": FRAGMENT_CALL,
    "transfer": TRANSFER,
    "assign": ASSIGN,
    "unassign": UNASSIGN,
    "named_computation": NAMED_COMPUTATION,
    "reduce": REDUCE,
    "call": CALL,
    "for": FOR,
    "return": RETURN,
}


@pytest.fixture(scope="module")
def lenient() -> ir.Context:
    """A context that reads operations of dialects it does not know."""
    return make_context(allow_unregistered_dialects=True)


@pytest.mark.parametrize(
    ("op", "message", "text"),
    [(op, message, text) for op, cases in REJECTED.items() for message, text in cases],
)
def test_programs_that_violate_a_constraint_are_rejected(
    op: str, message: str, text: str, lenient: ir.Context
) -> None:
    with pytest.raises(ir.MLIRError, match=re.escape(message)):
        ir.Module.parse(text, lenient)
    assert f"mpmd.{op}" in text
