"""Programs that the export rejects or warns about, with the same messages as the oracle."""

from __future__ import annotations

import pytest

from support.mpmd.oracle import MpmdOracle
from support.mpmd.oracle_compare import assert_same_export

M1 = '!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>'
M2 = '!mpmd.mesh_tensor<"m2", tensor<4x8xf32>>'


def fragment(result: str, operand: str, *, mesh: str = "m1", origin: str = "", by: str = "") -> str:
    """Return a fragment of one operand; `by` is the pass that inferred it, without an origin."""
    value = M1 if mesh == "m1" else M2
    attributes = f"{{mpmd.inferred_by = [{by}]}} " if by else ""
    return f"""
      {result} = mpmd.fragment<mesh="{mesh}", origin=[{origin}]> ({operand}) {attributes}
          (%arg9: tensor<4x8xf32>) {{
        %9 = stablehlo.add %arg9, %arg9 : tensor<4x8xf32>
        mpmd.return %9 : tensor<4x8xf32>
      }} : ({value}) -> {value}"""


def transfer(result: str, operand: str) -> str:
    return f"\n      {result} = mpmd.transfer {operand} : ({M1}) -> {M2}"


def program(arguments: str, results: str, body: str, returned: str) -> str:
    return f"""
    func.func public @main({arguments}) -> ({results}) attributes {{
        topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>}} {{{body}
      return {returned}
    }}"""


PROGRAMS = {
    "memory kinds of an argument": program(
        f'%arg0: {M1} {{mhlo.memory_kind = "unpinned_host"}}',
        M1,
        fragment("%0", "%arg0", origin='"f"'),
        f"%0 : {M1}",
    ),
    "memory kinds of a result": program(
        f"%arg0: {M1}",
        f'{M1} {{mhlo.memory_kind = "pinned_host"}}',
        fragment("%0", "%arg0", origin='"f"'),
        f"%0 : {M1}",
    ),
    "inferred by nothing": program(f"%arg0: {M1}", M1, fragment("%0", "%arg0"), f"%0 : {M1}"),
    "inferred by others": program(
        f"%arg0: {M1}", M1, fragment("%0", "%arg0", by='"mine", "yours"'), f"%0 : {M1}"
    ),
    "two inferred fragments": program(
        f"%arg0: {M1}",
        f"{M1}, {M2}",
        fragment("%0", "%arg0", by='"mine"')
        + transfer("%1", "%0")
        + fragment("%2", "%1", mesh="m2", by='"yours"'),
        f"%0, %2 : {M1}, {M2}",
    ),
    "inferred by a listed pass": program(
        f"%arg0: {M1}", M1, fragment("%0", "%arg0", by='"mine", "uniquify"'), f"%0 : {M1}"
    ),
    "parameter sent to another mesh": program(
        f"%arg0: {M1} loc(\"params['transformer']['embed']\")",
        M2,
        transfer("%0", "%arg0") + fragment("%1", "%0", mesh="m2", origin='"f"'),
        f"%1 : {M2}",
    ),
    "backward dependency": program(
        f"%arg0: {M2}",
        M1,
        fragment("%0", "%arg0", mesh="m2", origin='"f"')
        + f"\n      %1 = mpmd.transfer %0 : ({M2}) -> {M1}"
        + fragment("%2", "%1", origin='"g"'),
        f"%2 : {M1}",
    ),
    "argument returned": program(f"%arg0: {M1}", M1, "", f"%arg0 : {M1}"),
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_errors_and_warnings_are_those_of_the_oracle(text: str, partitioner: MpmdOracle) -> None:
    outcome = assert_same_export(text, partitioner)
    assert outcome.errors or outcome.warnings
