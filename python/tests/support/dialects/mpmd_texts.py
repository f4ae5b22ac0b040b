"""Texts of `mpmd` operations, valid unless an argument makes them otherwise."""

from __future__ import annotations

TENSOR = "tensor<4x8xf32>"
TOKEN = "!stablehlo.token"
TOPOLOGY = '#mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>'
WITH_TOPOLOGY = f"attributes {{topology = {TOPOLOGY}}}"


def on(mesh: str = "m1", tensor: str = TENSOR, rest: str = "") -> str:
    """Return the type of a tensor on a mesh."""
    return f'!mpmd.mesh_tensor<"{mesh}", {tensor}{rest}>'


def split(mesh: str = "m1", tensor: str = TENSOR, axis: str = "x", name: str = "mesh") -> str:
    """Return the type of a tensor whose first dimension an axis splits."""
    return on(mesh, tensor, f', sharding=<@{name}, [{{"{axis}"}}, {{}}]>')


def in_memory(kind: str) -> str:
    """Return the type of a tensor in a kind of memory."""
    return on(rest=f', memory_kind="{kind}"')


M1, M2, M3 = on("m1"), on("m2"), on("m3")


def main(body: str, a: str = TENSOR, attributes: str = WITH_TOPOLOGY, others: str = "") -> str:
    """Return a module with a function whose argument is `%a`."""
    return f"{others}\nfunc.func @main(%a: {a}) {attributes} {{\n{body}\nreturn\n}}"


def private(attributes: str = "", a: str = M1, body: str = "") -> str:
    """Return a function `@p` that returns its argument."""
    return f"func.func private @p(%a: {a}) -> {a} {attributes} {{ {body} return %a : {a} }}"


def fragment(
    operand: str = M1,
    argument: str = TENSOR,
    result: str = M1,
    body: str = "",
    mesh: str = "m1",
) -> str:
    """Return a fragment of `%a`; without a body it returns its first argument."""
    head = f'mpmd.fragment<mesh="{mesh}", origin=["f"]>'
    body = body or f"mpmd.return %b : {argument.partition(', %')[0]}"
    return f"%f = {head} (%a) (%b: {argument}) {{ {body} }} : ({operand}) -> {result}"


def fragment_call(operand: str = M1, result: str = M1, mesh: str = "m1", callee: str = "g") -> str:
    """Return a fragment call with `%a`."""
    head = f'mpmd.fragment_call<mesh="{mesh}", origin=[]>'
    return f"%c = {head} @{callee}(%a) : ({operand}) -> {result}"


def callee(argument: str = TENSOR, mesh: str = '<["x"=2]>', arguments: str = "") -> str:
    """Return a function `@g` for a fragment call."""
    head = f"func.func @g(%a: {argument}{arguments}) -> {argument}"
    return f"{head} attributes {{mesh_shape = #sdy.mesh{mesh}}} {{ return %a : {argument} }}"


def transfer(operand: str = M1, result: str = M2) -> str:
    """Return a transfer of `%a`."""
    return f"%t = mpmd.transfer %a : ({operand}) -> {result}"


def call(operand: str = M1, result: str = M1) -> str:
    """Return a call of `@p` with `%a`."""
    return f"%c = mpmd.call @p(%a) : ({operand}) -> {result}"


def named(operand: str = TENSOR, argument: str = TENSOR, body: str = "") -> str:
    """Return a named computation of `%a`; without a body it returns its first argument."""
    body = body or f"mpmd.return %b : {argument.partition(', %')[0]}"
    head = f'%n = mpmd.named_computation<"f"> (%a) (%b: {argument})'
    return f"{head} {{ {body} }} : ({operand}) -> {operand}"


def loop(
    attributes: str = "iterations = 6 : ui32",
    index: str = "tensor<ui32>",
    operand: str = TENSOR,
    argument: str = "",
    body: str = "",
) -> str:
    """Return a loop over `%a`; the body goes on with `%b`."""
    argument = argument or operand
    head = f"%l = mpmd.for (%a) {{{attributes}}} (%b: {argument}, %i: {index})"
    return f"{head} {{ {body} mpmd.return %b : {argument.partition(', %')[0]} }} : {operand}"


def assign(result: str) -> str:
    """Return an `mpmd.assign` of `%a`."""
    return f"%m = mpmd.assign %a : ({TENSOR}) -> {result}"


def unassign(operand: str, result: str = TENSOR) -> str:
    """Return an `mpmd.unassign` of `%a`."""
    return f"%m = mpmd.unassign %a : ({operand}) -> {result}"


def reduce(kind: str, operands: int, result: str = TENSOR) -> str:
    """Return a reduction of `%a`, given several times."""
    values, types = ", ".join(["%a"] * operands), ", ".join([TENSOR] * operands)
    attribute = f"{{reduction = #mpmd.reduction<{kind}>}}"
    return f'%r = "mpmd.reduce"({values}) {attribute} : ({types}) -> {result}'
