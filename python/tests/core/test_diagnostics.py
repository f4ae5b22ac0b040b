from __future__ import annotations

import pytest

from sdykit.core import Diagnostic, FileLocation, Severity, capture, fail, remark, warn
from sdykit.core.diagnostics import call_stack, file_location
from sdykit.errors import PassFailure
from sdykit.mlir import ir, make_context


@pytest.fixture
def context() -> ir.Context:
    return make_context()


def location(text: str, context: ir.Context) -> ir.Location:
    return ir.Module.parse(f"module {{}} loc({text})", context).operation.location


LOCATIONS = [
    ('"f":1:2', "f:1:2", []),
    ('"f":1:2 to :3', "f:1:2", []),
    ("unknown", "None", []),
    ('"name"', "None", []),
    ('"name"("f":1:2)', "f:1:2", []),
    ('fused["a", "f":1:2, "g":3:4]', "f:1:2", []),
    ('fused<"meta">["a"]', "None", []),
    ('callsite("f":1:2 at "g":3:4)', "f:1:2", ["g:3:4"]),
    ('callsite("name" at "g":3:4)', "g:3:4", ["g:3:4"]),
    ('callsite("f":1:2 at callsite("g":3:4 at "h":5:6))', "f:1:2", ["g:3:4", "h:5:6"]),
    ('"name"(callsite("f":1:2 at "g":3:4))', "f:1:2", ["g:3:4"]),
    ('fused["a", callsite("f":1:2 at "g":3:4)]', "f:1:2", ["g:3:4"]),
]


@pytest.mark.parametrize(("text", "place", "callers"), LOCATIONS)
def test_a_location_has_the_position_and_callers_that_mlir_finds(
    context: ir.Context, text: str, place: str, callers: list[str]
):
    found = location(text, context)
    assert str(file_location(found)) == place
    assert list(map(str, call_stack(found))) == callers


def test_a_deeply_nested_location_has_a_position(context: ir.Context):
    deep = ir.Location.file("f", 1, 2, context=context)
    for _ in range(5000):
        deep = ir.Location.name("n", deep, context=context)
    assert str(file_location(deep)) == "f:1:2"
    assert call_stack(deep) == ()


def test_fail_names_the_op(context: ir.Context):
    module = ir.Module.parse("func.func private @f()", context)
    found: list[Diagnostic] = []
    with capture(context, found.append), pytest.raises(PassFailure):
        fail(module.body.operations[0], "is wrong")
    assert str(found[0]) == "-:1:1: error: 'func.func' op is wrong"


def test_fail_at_a_location(context: ir.Context):
    found: list[Diagnostic] = []
    with capture(context, found.append), pytest.raises(PassFailure, match="wrong"):
        fail(ir.Location.file("f", 3, 4, context=context), "wrong")
    assert found[0].location == FileLocation("f", 3, 4)
    assert found[0].location_text == 'loc("f":3:4)'


def test_order_of_errors_warnings_and_remarks(context: ir.Context):
    here = ir.Location.unknown(context)
    found: list[Diagnostic] = []
    with capture(context, found.append):
        warn(here, "a")
        here.emit_error("b")
        remark(here, "c")
    assert [(d.severity, d.message) for d in found] == [
        (Severity.WARNING, "a"),
        (Severity.ERROR, "b"),
        (Severity.REMARK, "c"),
    ]


def test_a_diagnostic_has_its_notes(context: ir.Context):
    found: list[Diagnostic] = []
    with capture(context, found.append), pytest.raises(ir.MLIRError):
        ir.Module.parse("func.func private @f()\nfunc.func private @f()", context)
    assert str(found[0]) == "-:2:1: error: redefinition of symbol named 'f'"
    assert str(found[0].notes[-1]) == "-:1:1: note: see existing symbol definition here"


def test_the_inner_of_two_captures_receives_diagnostics(context: ir.Context):
    outer: list[Diagnostic] = []
    inner: list[Diagnostic] = []
    here = ir.Location.unknown(context)
    with capture(context, outer.append):
        with capture(context, inner.append):
            warn(here, "in")
            here.emit_error("in")
        warn(here, "out")
        here.emit_error("out")
    assert [d.message for d in inner] == ["in", "in"]
    assert [d.message for d in outer] == ["out", "out"]


def test_outside_a_capture_warnings_are_printed(
    context: ir.Context, capsys: pytest.CaptureFixture[str]
):
    warn(ir.Location.file("f", 1, 2, context=context), "careful")
    remark(ir.Location.unknown(context), "look")
    assert capsys.readouterr().err == "f:1:2: warning: careful\n<unknown>: remark: look\n"


def test_an_exception_in_the_sink_is_raised_at_the_end_of_the_block(
    context: ir.Context, capfd: pytest.CaptureFixture[str]
):
    def sink(_: Diagnostic) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError), capture(context, sink):
        ir.Location.unknown(context).emit_error("x")
    assert "Traceback" not in capfd.readouterr().err
