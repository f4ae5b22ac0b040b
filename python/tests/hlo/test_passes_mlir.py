"""The passes over random MLIR modules."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.core import ops_named, run_pipeline
from sdykit.mlir import ModuleOp, ir, make_context
from support.amounts import examples

MANY = settings(derandomize=True, max_examples=examples(250), deadline=None)
TYPE = "tensor<8xf32>"
CONTEXT = make_context()


@st.composite
def functions(draw: st.DrawFn) -> str:
    """Draw a function of element-wise operations, custom calls, and loops with such bodies."""
    lines: list[str] = []
    values = _body(draw, lines, ["%a", "%b"], "  ", draw(st.integers(2, 14)))
    results = [values[-1], *draw(st.lists(st.sampled_from(values), max_size=3))]
    types = ", ".join([TYPE] * len(results))
    return "\n".join(
        [
            f"func.func @main(%a: {TYPE}, %b: {TYPE}, %p: tensor<i1>) -> ({types}) {{",
            *lines,
            f"  return {', '.join(results)} : {types}",
            "}",
        ]
    )


def _body(
    draw: st.DrawFn, lines: list[str], outer: list[str], indent: str, count: int
) -> list[str]:
    values = list(outer)
    for _ in range(count):
        name = f"%v{len(lines)}"
        x, y = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        kind = draw(st.sampled_from(("add", "sine", "call", "effect", "pair", "if")))
        if kind == "if" and indent == "  ":
            lines.append(f'{indent}{name} = "stablehlo.if"(%p) ({{')
            inner = _body(draw, lines, values, indent + "  ", draw(st.integers(1, 4)))
            lines.append(f"{indent}  stablehlo.return {inner[-1]} : {TYPE}")
            lines.append(f"{indent}}}, {{")
            lines.append(f"{indent}  stablehlo.return {x} : {TYPE}")
            lines.append(f"{indent}}}) : (tensor<i1>) -> {TYPE}")
        elif kind == "add":
            lines.append(f"{indent}{name} = stablehlo.add {x}, {y} : {TYPE}")
        elif kind == "pair":
            lines.append(
                f"{indent}{name}:2 = stablehlo.custom_call @pair({x}, {y}) :"
                f" ({TYPE}, {TYPE}) -> ({TYPE}, {TYPE})"
            )
            values.append(f"{name}#1")
            name = f"{name}#0"
        elif kind in ("call", "effect"):
            flag = "{has_side_effect = true} " if kind == "effect" else ""
            lines.append(
                f"{indent}{name} = stablehlo.custom_call @{kind}({x}) {flag}: ({TYPE}) -> {TYPE}"
            )
        else:
            lines.append(f"{indent}{name} = stablehlo.sine {x} : {TYPE}")
        values.append(name)
    return values


def parsed(text: str) -> ir.Module:
    return ir.Module.parse(text, CONTEXT)


def run(module: ir.Module, pipeline: str) -> None:
    run_pipeline(module, pipeline)
    assert module.operation.verify()


def meaning(module: ir.Module, numbers: dict[object, int]) -> tuple[object, list[object]]:
    """Return the results of a function as expressions, and its side effects in order.

    Equal expressions have the same number in `numbers`, in all modules.
    """
    func = ops_named(module.operation, "func.func")[0]
    effects: list[object] = []

    def number(expression: object) -> int:
        return numbers.setdefault(expression, len(numbers))

    def evaluate(block: ir.Block, values: Mapping[ir.Value, int]) -> tuple[int, ...]:
        known = dict(values)
        for each in block.operations:
            op = each.operation
            operands = tuple(known[value] for value in op.operands)
            if op.name in ("func.return", "stablehlo.return"):
                return operands
            regions = tuple(evaluate(region.blocks[0], known) for region in op.regions)
            attributes = tuple(sorted((name, str(op.attributes[name])) for name in op.attributes))
            expression = (op.name, attributes, operands, regions)
            if "has_side_effect" in op.attributes:
                effects.append(number(expression))
            for result in op.results:
                known[result] = number((expression, result.result_number))
        raise AssertionError("a block has a terminator")

    block = func.regions[0].blocks[0]
    arguments = {argument: number(argument.arg_number) for argument in block.arguments}
    return evaluate(block, arguments), effects


def max_in_flight(module: ir.Module) -> int:
    maximum = 0
    blocks = {op.block.operations[0].operation: op.block for op in starts(module)}
    for block in blocks.values():
        count = 0
        for each in block.operations:
            name = each.operation.name
            count += (name == "mhlo.async_start") - (name == "mhlo.async_done")
            maximum = max(maximum, count)
    return maximum


def starts(module: ir.Module) -> list[ir.Operation]:
    return ops_named(module.operation, "mhlo.async_start")


WRAP = "async-wrap{ops=stablehlo.sine,stablehlo.custom_call,stablehlo.if execution-thread=host}"


@MANY
@given(functions(), st.sampled_from(("ops=stablehlo.sine", "custom-call-target=call,pair", "")))
def test_unwrap_restores_the_module_from_before_wrap(text: str, choice: str) -> None:
    module = parsed(text)
    plain = str(module)
    run(module, f"async-wrap{{{choice} execution-thread=host}},async-verify" if choice else WRAP)
    assert "async_start" in str(module) or str(module) == plain
    run(module, "async-verify,async-unwrap")
    assert str(module) == plain


@MANY
@given(functions(), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_all_passes_together_keep_the_meaning(
    text: str, bound: int, updates: int, fewer: int
) -> None:
    module = parsed(text)
    numbers: dict[object, int] = {}
    before = meaning(module, numbers)
    run(module, f"{WRAP},async-decompose{{updates={updates}}},async-verify")
    chains = len(starts(module))
    run(module, f"async-schedule{{max-in-flight={bound}}},async-verify")
    assert not bound or max_in_flight(module) <= bound
    assert len(ops_named(module.operation, "mhlo.async_update")) == updates * chains
    run(module, f"async-decompose{{updates={fewer}}},async-verify,async-schedule")
    assert len(ops_named(module.operation, "mhlo.async_update")) == fewer * chains
    run(module, "async-verify,async-unwrap")
    assert "async" not in str(module)
    assert meaning(module, numbers) == before


def test_a_module_can_be_wrapped_and_unwrapped_thread_by_thread() -> None:
    module = parsed(
        f"""
        func.func @main(%a: {TYPE}) -> {TYPE} {{
          %0 = stablehlo.sine %a : {TYPE}
          %1 = stablehlo.cosine %0 : {TYPE}
          return %1 : {TYPE}
        }}
        """
    )
    plain = str(module)
    run(module, "async-wrap{ops=stablehlo.sine execution-thread=host}")
    run(module, "async-wrap{ops=stablehlo.cosine,stablehlo.sine execution-thread=sparsecore}")
    threads = [ir.StringAttr(op.attributes["execution_thread"]).value for op in starts(module)]
    assert threads == ["host", "sparsecore"]
    run(module, "async-unwrap{execution-thread=sparsecore},async-verify")
    assert len(starts(module)) == 1
    run(module, "async-unwrap")
    assert str(module) == plain
    assert isinstance(module.operation.opview, ModuleOp)
