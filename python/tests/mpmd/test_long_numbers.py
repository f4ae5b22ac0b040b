"""Numbers in names may have more digits than `int` converts by default."""

from __future__ import annotations

import pytest

from sdykit.mlir import ir
from support.mpmd.checks import context, run

DIGITS = "1" * 5000


def program(mesh: str, origin: str) -> ir.Module:
    tensor = f'!mpmd.mesh_tensor<"{mesh}", tensor<8xf32>>'
    other = f'!mpmd.mesh_tensor<"{mesh}2", tensor<8xf32>>'
    text = f"""
      func.func public @main(%arg0: {tensor}) -> {other} attributes
          {{topology = #mpmd.topology<<"{mesh}" : <["x"=2]>>, <"{mesh}2" : <["x"=2]>>>}} {{
        %0 = mpmd.fragment<mesh="{mesh}", origin=["{origin}"]> (%arg0) (%a: tensor<8xf32>) {{
          %b = stablehlo.sine %a : tensor<8xf32>
          mpmd.return %b : tensor<8xf32>
        }} : ({tensor}) -> {tensor}
        %1 = mpmd.transfer %0 : ({tensor}) -> {other}
        %2 = mpmd.fragment<mesh="{mesh}2", origin=["{origin}"]> (%1) (%a: tensor<8xf32>) {{
          %b = stablehlo.sine %a : tensor<8xf32>
          mpmd.return %b : tensor<8xf32>
        }} : ({other}) -> {other}
        return %2 : {other}
      }}"""
    return ir.Module.parse(text, context())


@pytest.mark.parametrize("compat", ["documented", "jaxlib"])
def test_numbers_of_thousands_of_digits_are_exported(compat: str) -> None:
    module = program(f"m{DIGITS}", f"f_{DIGITS}")
    run(module, f"mpmd-export-pipeline{{compat={compat}}}")
    assert str(module).count("mpmd.fragment_call") == 2


def test_leading_zeros_of_a_counter_are_ignored() -> None:
    module = program("m", "f_" + "0" * 5000 + "7")
    run(module, "mpmd-lower-to-fragment-calls{naming=program}")
    assert "@p0_f_7" in str(module)
