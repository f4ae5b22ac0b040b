"""The table of predicted and compiled collectives holds what the models have."""

from __future__ import annotations

import re

import pytest

from sdykit.explain import explain_text
from sdykit.explain.costs.comparing import amounts
from tools.generate_collectives_doc import PAGE, programs

ROWS = re.findall(
    r"^\| ([^|`]*?) ?\| `(\w+)` \| ([^|]+) \| ([^|]+) \|", PAGE.read_text(), re.MULTILINE
)


def rows_of(name: str) -> dict[str, str]:
    """Return what the page predicts for a model, by kind."""
    found, current = {}, ""
    for model, kind, predicted, _ in ROWS:
        current = model or current
        if current == name and predicted != "-":
            found[kind] = predicted
    return found


def test_all_models_are_on_the_page() -> None:
    assert list(dict.fromkeys(model for model, *_ in ROWS if model)) == list(programs())


@pytest.mark.parametrize(
    "name", ["control_flow", "mixture_of_experts", "pipelined_mlp", "recommender"]
)
def test_predictions_are_those_of_the_page(name: str) -> None:
    costs = explain_text(programs()[name].text(), name, to="collectives").costs
    assert costs is not None
    found = amounts(costs.collectives)
    assert rows_of(name) == {
        kind: f"{count} of {size:,} bytes"
        for kind, (count, size) in found.items()
        if kind != "all_slice"
    }
