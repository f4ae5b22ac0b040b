"""A suggestion is a name that is close, and never that of the opposite."""

from __future__ import annotations

import pytest

from sdykit.core import Registry
from sdykit.core.suggestions import nearest
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.opt.cpp.passes import CPP_PASSES
from sdykit.opt.flags.mlir import MLIR_FLAGS

NAMES = sorted({*Registry().names(), *UPSTREAM_PASSES, *CPP_PASSES, *MLIR_FLAGS.by_name})
OPPOSITES = [
    ("sdy-import-pipeline", "sdy-export-pipeline"),
    ("mpmd-import-pipeline", "mpmd-export-pipeline"),
    ("sdy-flatten-call-graph", "sdy-unflatten-call-graph"),
    ("sdy-lift-inlined-meshes", "sdy-inline-meshes"),
    ("async-wrap", "async-unwrap"),
    ("sdy-constant-or-scalar-merger", "sdy-constant-or-scalar-splitter"),
    ("stablehlo-legalize-to-vhlo", "vhlo-legalize-to-stablehlo"),
    ("stablehlo-legalize-to-hlo", "hlo-legalize-to-stablehlo"),
    ("stablehlo-legalize-to-chlo", "chlo-legalize-to-stablehlo"),
    ("stablehlo-legalize-qdq-to-quantized-op", "stablehlo-legalize-quantized-op-to-qdq"),
    ("mlir-print-ir-before-all", "mlir-print-ir-after-all"),
]


@pytest.mark.parametrize(("one", "other"), [*OPPOSITES, *((b, a) for a, b in OPPOSITES)])
def test_the_opposite_is_never_suggested(one: str, other: str):
    assert nearest(one, [other]) is None
    for at in range(1, len(one)):
        misspelled = one[:at] + one[at + 1 :]
        assert nearest(misspelled, [other, one]) in (one, None), misspelled


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_a_letter_left_out_is_suggested(name: str):
    misspelled = name[:-1]
    if len(name) > 3 and misspelled not in NAMES:
        assert nearest(misspelled, NAMES) == name


def test_nothing_is_close():
    assert nearest("zzz", NAMES) is None
