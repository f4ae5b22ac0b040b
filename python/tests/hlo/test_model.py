"""Editing a program keeps names, users, order and control edges consistent."""

from __future__ import annotations

import pytest

from sdykit import hlo
from sdykit.hlo.async_ops import chain, is_async, start_of, thread_of, wrapped
from sdykit.hlo.attributes import entries_in, names_in, quoted, unquoted
from sdykit.hlo.shape import Shape, equal_shape, leaves, same_shape

TEXT = """HloModule m, is_scheduled=true

%double (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  ROOT %twice = f32[4]{0} add(%x, %x)
}

ENTRY %main (a: f32[4], b: f32[4]) -> f32[4] {
  %a = f32[4]{0} parameter(0)
  %b = f32[4]{0} parameter(1)
  %c = f32[4]{0} call(%a), to_apply=%double, metadata={op_name="%double"}
  %d = f32[4]{0} add(%c, %c), control-predecessors={%b}
  %e = f32[4]{0} subtract(%d, %a), control-predecessors={%d, %b}
  ROOT %f = f32[4]{0} multiply(%e, %b)
}

"""


@pytest.fixture
def module() -> hlo.Module:
    return hlo.read(TEXT)


def op(module: hlo.Module, name: str) -> hlo.Instruction:
    return module.entry.by_name[name]


def names(ops: object) -> list[str]:
    assert isinstance(ops, (list, tuple, dict))
    return [each.name for each in ops]


def lines(module: hlo.Module) -> list[str]:
    """Return the lines of the entry computation as printed; check that the text reads back."""
    text = hlo.to_text(module)
    assert hlo.to_text(hlo.read(text)) == text
    return [line.strip() for line in text.partition("ENTRY")[2].splitlines()[1:-2]]


def test_users_are_listed_once(module: hlo.Module):
    assert names(op(module, "a").users) == ["c", "e"]
    assert names(op(module, "c").users) == ["d"]
    assert names(op(module, "f").users) == []
    assert names(op(module, "b").control_users) == ["d", "e"]
    assert op(module, "a").control_users is None


def test_renaming_an_instruction_keeps_its_users(module: hlo.Module):
    op(module, "d").name = "new"
    assert "%e = f32[4]{0} subtract(%new, %a), control-predecessors={%new, %b}" in lines(module)
    assert "d" not in module.entry.by_name
    with pytest.raises(ValueError, match="has an instruction %a already"):
        op(module, "new").name = "a"
    assert op(module, "new").name == "new"
    op(module, "a").name = "first"
    assert "ENTRY %main (first: f32[4], b: f32[4]) -> f32[4] {" in hlo.to_text(module)


def test_renaming_a_computation_changes_its_calls(module: hlo.Module):
    module.rename_computation(module.computation("double"), "twofold")
    call = op(module, "c")
    assert call.attributes == {"to_apply": "%twofold", "metadata": '{op_name="%double"}'}
    assert call.called() == [module.computation("twofold")]
    assert not module.has_computation("double")
    with pytest.raises(ValueError, match="has a computation %main already"):
        module.rename_computation(module.computation("twofold"), "main")


def test_assigning_operands_updates_users(module: hlo.Module):
    e, d, a, b = (op(module, name) for name in "edab")
    e.operands = [b, b]
    assert names(e.operands) == ["b", "b"]
    assert names(d.users) == []
    assert names(b.users) == ["f", "e"]
    e.replace_operand(b, a)
    assert names(e.operands) == ["a", "a"]
    assert names(b.users) == ["f"]


def test_replacing_an_instruction_moves_its_users_and_its_role_as_root(module: hlo.Module):
    c, d = op(module, "c"), op(module, "d")
    new = module.entry.add("n", d.shape, "negate", [d], before=op(module, "e"), like=d)
    d.replace_uses(new)
    assert names(d.users) == ["n"]
    assert names(new.users) == ["e"]
    assert new.location == d.location
    root = op(module, "f")
    root.replace_uses(c)
    assert c.is_root
    assert module.entry.root is c


def test_inserting_and_erasing_update_names_and_users(module: hlo.Module):
    entry = module.entry
    with pytest.raises(ValueError, match="%d cannot be erased: it is used by %e, %e"):
        entry.erase(op(module, "d"))
    with pytest.raises(ValueError, match="has an instruction %d already"):
        entry.append(hlo.Instruction("d", "s32[]", "iota"))
    new = entry.insert_after(op(module, "a"), hlo.Instruction("n", "f32[4]{0}", "iota"))
    assert names(entry.instructions)[:3] == ["a", "n", "b"]
    assert (new.parent, new.location) == (entry, None)
    op(module, "e").operands = [new, op(module, "c")]
    op(module, "e").control_predecessors = []
    entry.erase(op(module, "d"))
    assert names(op(module, "c").users) == ["e"]
    assert not op(module, "b").control_users
    assert lines(module)[3] == (
        '%c = f32[4]{0} call(%a), to_apply=%double, metadata={op_name="%double"}'
    )
    assert "%e = f32[4]{0} subtract(%n, %c)" in lines(module)


def test_a_new_order_inserts_and_erases(module: hlo.Module):
    a, b, c, d, e, f = module.entry.instructions
    new = hlo.Instruction("n", "f32[4]{0}", "negate", [b])
    e.operands = [new, a]
    e.control_predecessors = []
    module.entry.set_order([b, new, a, c, e, f])
    assert names(module.entry.instructions) == ["b", "n", "a", "c", "e", "f"]
    assert new.parent is module.entry
    assert d.parent is None
    assert names(c.users) == []
    assert module.entry.root is f
    assert len(lines(module)) == 6


def test_fresh_names_are_free_in_the_module(module: hlo.Module):
    fresh = [module.fresh_name(base) for base in ("a", "a", "double", "new", "new", "new.7", "x")]
    assert fresh == ["a.1", "a.2", "double.1", "new", "new.1", "new.7", "x.1"]
    op(module, "b").name = "taken"
    assert module.fresh_name("taken") == "taken.1"


def test_new_computations_are_added_called_and_erased(module: hlo.Module):
    made = hlo.Computation("made")
    x = made.add("x", "f32[4]{0}", "parameter", literal="0")
    made.add("r", "f32[4]{0}", "abs", [x])
    module.add_computation(made, before=module.entry)
    op(module, "d").attributes["to_apply"] = "%made"
    assert module.callers()[made] == [op(module, "d")]
    assert [each.name for each in module] == ["double", "made", "main"]
    assert "%made (x: f32[4]) -> f32[4] {" in hlo.to_text(module)
    with pytest.raises(ValueError, match="has a computation %made already"):
        module.add_computation(hlo.Computation("made"))
    module.set_order([made, module.entry])
    assert not module.has_computation("double")
    assert op(module, "c").called() == []
    module.erase_computation(made)
    assert names(module.computations) == ["main"]


def test_control_edges_are_kept_in_both_directions(module: hlo.Module):
    f = op(module, "f")
    f.control_predecessors = [op(module, "a"), op(module, "b"), op(module, "a")]
    f.attributes |= {"sharding": "{replicated}", "metadata": '{op_name="f"}'}
    assert lines(module)[-1] == (
        "ROOT %f = f32[4]{0} multiply(%e, %b), sharding={replicated}, "
        'control-predecessors={%a, %b}, metadata={op_name="f"}'
    )


def test_chains_are_followed_in_both_directions():
    module = hlo.read("""HloModule m
    ENTRY e {
      x = f32[4] parameter(0)
      s = ((f32[4]), f32[4]) sine-start(x), async_execution_thread="sparsecore"
      u = ((f32[4]), f32[4]) sine-update(s)
      v = ((f32[4]), f32[4]) sine-update(u)
      d = f32[4] sine-done(v)
      n = f32[4] async-done(x)
    }""")
    s, u, v, d, n, x = (module.entry.by_name[name] for name in "suvdnx")
    assert chain(s) == [s, u, v, d]
    d.opcode = "negate"
    assert chain(s) == [s, u, v]
    d.opcode = "async-done"
    assert [start_of(each) for each in (s, v, d, n, x)] == [s, s, s, None, None]
    assert [thread_of(each) for each in (s, d, n)] == ["sparsecore", "sparsecore", "main"]
    computation = wrapped(d)
    assert computation is not None
    assert computation.execution_thread == "sparsecore"
    assert computation.location == s.location
    assert wrapped(n) is None
    assert [is_async(each) for each in (s, n, x)] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("f32[4]", None),
        ("()", []),
        ("(f32[4])", ["f32[4]"]),
        (
            "(f32[2,3]{1,0:T(8,128)}, (s32[], ()), /*index=5*/b(f32[4]{0}))",
            ["f32[2,3]{1,0:T(8,128)}", "(s32[], ())", "b(f32[4]{0})"],
        ),
    ],
)
def test_a_tuple_shape_has_elements(text: str, parts: list[str] | None):
    elements = Shape(text).elements
    assert (elements if elements is None else [each.text for each in elements]) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("f32[4]{0:T(8,128)(2,1)}", {(): "f32[4]{0:T(8,128)(2,1)}"}),
        ("()", {}),
        ("((), (()))", {}),
        (
            "( f32[2,3]{1,0:T(8,128)},(s32[] , ((token[]))),  /*index=5*/b(f32[4]{0}))",
            {(0,): "f32[2,3]{1,0:T(8,128)}", (1, 0): "s32[]", (1, 1, 0, 0): "token[]"}
            | {(2,): "b(f32[4]{0})"},
        ),
        ("(" * 5000 + "u8[2]" + ")" * 5000, {(0,) * 5000: "u8[2]"}),
    ],
)
def test_leaves_are_the_parts_that_are_no_tuples(text: str, parts: dict[tuple[int, ...], str]):
    assert list(leaves(text).items()) == list(parts.items())


def test_an_array_shape_has_an_element_type_and_dimensions():
    assert (Shape("bf16[2,<=3]{1,0}").element_type, Shape("f32[2,<=3]").dimensions) == (
        "bf16",
        ("2", "<=3"),
    )
    assert (Shape("(f32[2])").element_type, Shape("f32[]").dimensions) == (None, ())


@pytest.mark.parametrize(
    ("one", "other", "same", "equal"),
    [
        ("f32[4]", "f32[4]{0}", True, True),
        ("f32[2,3]{0,1}", "f32[2,3]", True, False),
        ("f32[2,3]{1,0}", "f32[2,3]", True, True),
        ("f32[]{}", "f32[]", True, True),
        ("f32[4]{0:S(1)}", "f32[4]{0}", True, False),
        ("(f32[4]{0}, s32[])", "(f32[4],/*index=1*/s32[])", True, True),
        ("f32[4]", "f32[5]", False, False),
        ("f32[4]", "(f32[4])", False, False),
        ("f32[4]{0:#(u8)P(f32[2]{0})}", "f32[4]", True, False),
    ],
)
def test_shapes_are_compared_with_and_without_layouts(
    one: str, other: str, same: bool, equal: bool
):
    assert (same_shape(one, other), equal_shape(one, other)) == (same, equal)
    assert (same_shape(other, one), equal_shape(other, one)) == (same, equal)
    assert Shape(one).same(Shape(other)) == same


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("{}", {}),
        ('{a="b"}', {"a": "b"}),
        ('{ a = "b,c=}\\"" ,w=1}', {"a": 'b,c=}\\"', "w": "1"}),
        ('{x={"p":[1,2],y="z"} , w=1}', {"x": '{"p":[1,2],y="z"}', "w": "1"}),
        ('{"a b"="c",x={u={v=[(1,w=2)]}}}', {"a b": "c", "x": "{u={v=[(1,w=2)]}}"}),
        ("{a}", {}),
        ('"a=b,"', {}),
    ],
)
def test_entries_in_braces_are_read_by_name(text: str, entries: dict[str, str]):
    assert entries_in(text) == entries


def test_names_and_quotes_of_attributes_are_read_and_written():
    assert names_in("%a.1-b") == ["a.1-b"]
    assert names_in("{ %a,b }") == ["a", "b"]
    assert names_in("{}") == names_in("{a = f32[] parameter(0)}") == names_in('"a"') == []
    assert quoted('a"b\\\n') == '"a\\"b\\\\\\n"'
    assert unquoted('"a"') == unquoted("a") == "a"
    assert unquoted('"') == '"'
