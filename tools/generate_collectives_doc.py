"""Generate the table of `docs/collectives.md`: predicted collectives of all models beside compiled ones.

    python tools/generate_collectives_doc.py            write it
    python tools/generate_collectives_doc.py --check    fail if it differs from what would be written

XLA compiles all models: a minute or two.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from examples.models import transformer
from examples.models.program import Program
from sdykit.explain import Explanation, explain_text
from sdykit.explain.costs.comparing import kind_rows, places

PAGE = Path(__file__).resolve().parent.parent / "docs" / "collectives.md"
BEGIN, END = "<!-- begin of the table -->\n", "<!-- end of the table -->\n"
_PIPELINES = ("offloaded_mlp", "pipelined_decoder", "pipelined_mlp", "pipelined_transformer")
_HEAD = "| Model | Collective | Predicted | Compiled | Equal lines |\n|---|---|--:|--:|--:|\n"


def programs() -> dict[str, Program]:
    """Return all programs of `examples/models`, by the names of the rows."""
    found = {
        name: import_module(f"examples.models.{name}").program()
        for name in ("control_flow", "mixture_of_experts", "recommender", "transformer")
    }
    for name in _PIPELINES:
        found[name] = import_module(f"examples.models.{name}").pipeline().program
    base = transformer.Config()
    found["transformer, layers in a loop"] = transformer.program(replace(base, scan=True))
    found["transformer, with experts"] = transformer.program(replace(base, experts=True))
    return dict(sorted(found.items()))


def rows(name: str, explanation: Explanation) -> Iterator[str]:
    """Yield the rows of a model: one for each kind of collective."""
    assert explanation.costs is not None
    found = places(explanation)
    equal = f"{sum(place.is_equal for place in found)} of {len(found)}"
    for kind, ours, theirs in kind_rows(explanation.costs):
        yield f"| {name} | `{kind}` | {_amount(ours)} | {_amount(theirs)} | {equal} |\n"
        name = equal = ""


def _amount(amount: tuple[int, int]) -> str:
    count, size = amount
    return f"{count} of {size:,} bytes" if count else "-"


def table() -> str:
    """Return the table of all models."""
    lines = [_HEAD]
    for name, program in programs().items():
        text = program.text(debuginfo=True)
        lines += rows(name, explain_text(text, name, to="collectives", compiled=True))
    return "".join(lines)


def main() -> int:
    """Write the page, or compare it; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="fail if the page would change")
    arguments = parser.parse_args()
    page = PAGE.read_text()
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    new = "".join([before, begin, table(), end, after])
    if arguments.check:
        return int(new != page)
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
