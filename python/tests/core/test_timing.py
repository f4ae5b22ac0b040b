from __future__ import annotations

import json
import time

from sdykit.core.plan import plan
from sdykit.core.timing import Timing
from sdykit.mlir import ir, make_context

OP = ir.Module.parse("module {}", make_context()).operation


def nested_timing() -> Timing:
    timing = Timing()
    outer, inner = plan("func.func(cse,symbol-dce)")[0], plan("cse")[0]
    with timing.phase("Parser"):
        time.sleep(0.002)
    timing.before(outer, OP)
    for _ in range(3):
        timing.before(inner, OP)
        timing.after(inner, OP, failed=False)
    timing.after(outer, OP, failed=False)
    timing.before(inner, OP)
    timing.after(inner, OP, failed=True)
    return timing


def test_the_tree_lists_passes_in_their_order_and_nesting():
    lines = nested_timing().report().splitlines()
    names = [line.partition(")  ")[2] for line in lines[6:]]
    assert names == ["Parser", "'func.func' Pipeline", "  cse", "cse", "Rest", "Total"]
    assert lines[-1].endswith("(100.0%)  Total")


def test_list_sums_and_sorts():
    rows = json.loads(nested_timing().report("list", "json"))
    assert next(row["name"] for row in rows) == "Parser"
    assert sorted(row["name"] for row in rows).count("cse") == 1
    seconds = [row["wall"]["duration"] for row in rows[:-2]]
    assert seconds == sorted(seconds, reverse=True)


def test_the_tree_in_json_has_the_same_rows_and_adds_up_to_the_total():
    rows = json.loads(nested_timing().report(form="json"))
    assert [(row["name"], row["depth"]) for row in rows] == [
        ("Parser", 0),
        ("'func.func' Pipeline", 0),
        ("cse", 1),
        ("cse", 0),
        ("Rest", 0),
        ("Total", 0),
    ]
    assert (
        abs(
            sum(row["wall"]["duration"] for row in rows if row["depth"] == 0)
            - 2 * rows[-1]["wall"]["duration"]
        )
        < 1e-4
    )
