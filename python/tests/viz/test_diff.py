"""Differences between modules: what counts as changed, and what is only renamed."""

from __future__ import annotations

from sdykit.viz.import_report.diff import Kind, diff_modules
from sdykit.viz.import_report.parts import split_parts

BEFORE = """\
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %cst = stablehlo.constant dense<1.0> : tensor<8xf32>
    %0 = stablehlo.add %arg0, %cst : tensor<8xf32>
    %1:2 = stablehlo.optimization_barrier %0, %cst : tensor<8xf32>, tensor<8xf32>
    %2 = stablehlo.multiply %1#0, %arg1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @gone() {
    return
  }
}
"""


def edits(before: str, after: str) -> dict[str, list[str]]:
    """Return the edits of each part, a changed line as its new text."""
    return {
        part.name: [
            f"{row.kind.value} {(row.after or row.before or '').strip()}"
            for row in part.rows
            if row.kind is not Kind.SAME
        ]
        for part in diff_modules(before, after)
    }


def test_equal_modules_have_no_differences() -> None:
    assert diff_modules(BEFORE, BEFORE) == []


def test_renamed_values_are_no_difference() -> None:
    after = BEFORE.replace("%2", "%7").replace("%cst", "%c").replace("%1", "%5")
    assert edits(BEFORE, after) == {}


def test_an_inserted_op_and_the_op_that_now_uses_it() -> None:
    after = (
        BEFORE.replace("%1", "%2")
        .replace("%2 = stablehlo.multiply %2#0", "%3 = stablehlo.multiply %1")
        .replace("return %2", "return %3")
        .replace(
            "    %2:2",
            "    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>\n    %2:2",
        )
    )
    assert edits(BEFORE, after) == {
        "func.func @main": [
            "+ %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>",
            "~ %3 = stablehlo.multiply %1, %arg1 : tensor<8xf32>",
        ]
    }


def test_an_op_with_different_operands_but_equal_text_has_changed() -> None:
    after = BEFORE.replace("%arg0, %cst", "%cst, %arg0")
    assert edits(BEFORE, after) == {
        "func.func @main": ["~ %0 = stablehlo.add %cst, %arg0 : tensor<8xf32>"]
    }


def test_another_result_of_the_same_op_is_another_operand() -> None:
    after = BEFORE.replace("%1#0", "%1#1")
    assert edits(BEFORE, after)["func.func @main"][0].startswith("~ %2 = stablehlo.multiply %1#1")


def test_an_argument_with_a_new_attribute_has_changed_alone() -> None:
    after = BEFORE.replace("%arg1: tensor<8xf32>", "%arg1: tensor<8xf32> {sdy.sharding = 1}")
    assert edits(BEFORE, after) == {
        "func.func @main": ["~ %arg1: tensor<8xf32> {sdy.sharding = 1}) -> tensor<8xf32> {"]
    }


def test_an_op_of_another_dialect_in_the_same_place_has_changed() -> None:
    after = BEFORE.replace("stablehlo.constant", "sdy.constant")
    assert edits(BEFORE, after) == {
        "func.func @main": ["~ %cst = sdy.constant dense<1.0> : tensor<8xf32>"]
    }


def test_added_and_removed_functions_are_parts() -> None:
    after = BEFORE.replace("@gone", "@new")
    assert edits(BEFORE, after) == {
        "func.func @new": ["+ func.func private @new() {", "+ return", "+ }"],
        "func.func @gone": ["- func.func private @gone() {", "- return", "- }"],
    }


def test_moving_a_function_is_no_difference() -> None:
    gone = "  func.func private @gone() {\n    return\n  }\n"
    after = BEFORE.replace(gone, "").replace("  sdy.mesh", gone + "  sdy.mesh")
    assert edits(BEFORE, after) == {}


def test_a_changed_row_knows_the_new_names_of_its_values() -> None:
    after = BEFORE.replace("%0 ", "%9 ").replace("%0,", "%9,").replace("%9, %cst", "%arg0, %9")
    changed = [row for row in diff_modules(BEFORE, after)[0].rows if row.kind is Kind.CHANGED]
    assert [row.names for row in changed] == [{"%1": "%1", "%0": "%9", "%cst": "%cst"}]


def test_sibling_regions_may_use_a_name_again() -> None:
    region = "    %0 = a.op {\n      %1 = b.op : i32\n      c.op %1 : i32\n    }\n"
    before = f"module {{\n  func.func @f() {{\n{region}{region}  }}\n}}\n"
    after = before.replace("b.op : i32\n", "b.op : i32\n      d.op : i32\n", 1)
    assert edits(before, after) == {"func.func @f": ["+ d.op : i32"]}


def test_signatures_have_one_argument_per_line() -> None:
    text = (
        "module {\n"
        '  func.func @f(%arg0: tensor<2xf32> {a = "x, (y"}, %arg1: (i32, i32) -> i32) -> '
        "(i32 {b = [1, 2]}, i32) {\n"
        "    return\n"
        "  }\n"
        "}\n"
    )
    assert split_parts(text)[1].lines == (
        "  func.func @f(",
        '      %arg0: tensor<2xf32> {a = "x, (y"},',
        "      %arg1: (i32, i32) -> i32) -> (",
        "      i32 {b = [1, 2]},",
        "      i32) {",
        "    return",
        "  }",
    )


def test_parts_are_named_after_op_and_symbol_or_counted() -> None:
    text = "#a = 1\n#b = 2\nmodule @m {\n  x.op\n  x.op\n  sdy.mesh @mesh = <[]>\n}\n"
    assert [part.name for part in split_parts(text)] == [
        "aliases",
        "module @m",
        "x.op",
        "x.op (2)",
        "sdy.mesh @mesh",
        "}",
    ]


def test_a_result_replaced_by_a_single_value_keeps_its_line() -> None:
    lines = "    sdy.sharding_group %1#0 group_id=7 : i32\n    sdy.sharding_group %arg0 group_id=7 : i32\n"
    before = BEFORE.replace("    %2 =", f"{lines}    %2 =")
    after = before.replace("group %1#0", "group %0")
    assert edits(before, after) == {"func.func @main": ["~ sdy.sharding_group %0 group_id=7 : i32"]}


FRAGMENTS = """\
module {
  func.func @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>> attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
    %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) {call_counter = 0 : ui32} (%arg1: tensor<8xf32>) {
      mpmd.return %arg1 : tensor<8xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
    %1 = mpmd.fragment<mesh="m1", origin=["g"]> (%0) (%arg1: tensor<8xf32>) {
      mpmd.return %arg1 : tensor<8xf32>
    } : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
    return %1 : !mpmd.mesh_tensor<"m1", tensor<8xf32>>
  }
}
"""


def test_a_fragment_with_a_new_attribute_has_changed_alone() -> None:
    mark = "{arg_attrs = [{tf.aliasing_output = 0 : i32}]"
    counted = FRAGMENTS.replace("{call_counter", f"{mark}, call_counter")
    assert edits(FRAGMENTS, counted) == {
        "func.func @main": [f"~ {counted.splitlines()[2].strip()}"]
    }
    plain = FRAGMENTS.replace("(%0) (", f"(%0) {mark}}} (")
    assert edits(FRAGMENTS, plain) == {"func.func @main": [f"~ {plain.splitlines()[5].strip()}"]}


def test_the_end_of_a_fragment_with_other_types_has_changed_alone() -> None:
    line = FRAGMENTS.splitlines()[4]
    after = FRAGMENTS.replace(line, line.replace("f32>>) ->", "f32>, sharding=<@m, [{}]>>) ->"), 1)
    assert [edit[0] for edit in edits(FRAGMENTS, after)["func.func @main"]] == ["~"]


def test_a_result_type_with_commas_stays_on_one_line() -> None:
    assert split_parts(FRAGMENTS)[1].lines[:2] == (
        "  func.func @main(",
        '      %arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1",'
        ' tensor<8xf32>> attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {',
    )
