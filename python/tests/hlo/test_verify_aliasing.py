"""The verifier on `output_to_operand_aliasing`."""

from __future__ import annotations

import pytest

from support.hlo.verifying import edited, errors

REFUSED = {
    "output aliasing without such an operand": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={{}: (2, {})}'),
        [
            "6:8: error: Invalid aliasing operand index. %c has 2 operands, found 2",
        ],
    ),
    "output aliasing without such an operand index": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={{}: (0, {0})}'),
        [
            "6:8: error: Invalid aliasing operand shape index. %p of shape f32[4,2] has "
            "nothing at {0}",
            "4:3: note: %p is here",
        ],
    ),
    "output aliasing without such an output": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={{0}: (0, {})}'),
        [
            "6:8: error: Invalid aliasing output shape index. %c of shape f32[8] has "
            "nothing at {0}",
        ],
    ),
    "output aliasing of other shapes": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={{}: (0, {}), {1}: (3, {})}'),
        [
            "6:8: error: Different aliasing shapes: f32[4,2] vs f32[8]",
            "4:3: note: operand 0, %p, is here",
            "6:8: error: Invalid aliasing operand index. %c has 2 operands, found 3",
        ],
    ),
    "output aliasing that is none": (
        edited('target="f"', 'target="f", output_to_operand_aliasing={0}'),
        [
            "6:8: error: output_to_operand_aliasing expects {{output index}: (operand, "
            "{operand index}), ...}, found {0}",
        ],
    ),
    "output aliasing of a start counts from its shape": (
        edited("calls=%v", "calls=%v, output_to_operand_aliasing={{}: (0, {})}"),
        [
            "20:3: error: Different aliasing shapes: f32[8] vs ((f32[8]), f32[8])",
            "19:3: note: operand 0, %d, is here",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), REFUSED.values(), ids=list(REFUSED))
def test_invalid_aliases_are_errors(text: str, expected: list[str]):
    assert errors(text) == expected
