"""What a program may communicate, asserted in its tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sdykit.errors import SdykitError
from sdykit.explain.costs.answers import collective_lines
from sdykit.explain.costs.model import Collective, Kind
from sdykit.explain.costs.totals import total
from sdykit.explain.from_jax import explain
from sdykit.explain.model import Explanation
from sdykit.explain.questions.index import Index
from sdykit.explain.sentences import bytes_text

if TYPE_CHECKING:
    from collections.abc import Callable

_REPORTED = 5
"""The collectives of a kind that an error tells of."""


def assert_collectives(
    fn: Callable[..., Any],
    *args: Any,
    in_shardings: Any = None,
    out_shardings: Any = None,
    mesh: Any = None,
    all_gather: int | None = None,
    all_reduce: int | None = None,
    all_to_all: int | None = None,
    collective_permute: int | None = None,
    reduce_scatter: int | None = None,
    max_bytes: float | None = None,
) -> None:
    """Assert how many collectives the partitioned program of a JAX function has, and what they move.

    Nothing runs, and the devices of the mesh need not exist. Ops that exchange data without a collective, such
    as convolutions along a divided dimension, do not count.

    Args:
        fn: as for `explain`, like the next ones.
        *args: its arguments.
        in_shardings: the shardings of the arguments.
        out_shardings: the shardings of the results.
        mesh: the mesh.
        all_gather: how many there are in the program, each counted once, however often it runs; None:
            any number. Likewise:
        all_reduce: how many of these.
        all_to_all: how many of these.
        collective_permute: how many of these.
        reduce_scatter: how many of these.
        max_bytes: what a device may receive in a run, in bytes, over all collectives; one in a loop of
            unknown trip count counts for one iteration.

    Raises:
        AssertionError: there are others; the text says which, their lines, their bytes and why they
            are needed.
        SdykitError: nothing is asserted.
    """
    counts: dict[Kind, int | None] = {
        "all_gather": all_gather,
        "all_reduce": all_reduce,
        "all_to_all": all_to_all,
        "collective_permute": collective_permute,
        "reduce_scatter": reduce_scatter,
    }
    expected: dict[Kind, int] = {kind: count for kind, count in counts.items() if count is not None}
    if not expected and max_bytes is None:
        raise SdykitError(
            "assert_collectives: nothing is asserted; expected a number, such as all_gather=0, or max_bytes"
        )
    explanation = explain(
        fn,
        *args,
        in_shardings=in_shardings,
        out_shardings=out_shardings,
        mesh=mesh,
        to="collectives",
    )
    lines = list(_violations(explanation, expected, max_bytes))
    if lines:
        raise AssertionError("\n".join(lines))


def _violations(
    explanation: Explanation, expected: Mapping[Kind, int], max_bytes: float | None
) -> Iterator[str]:
    assert explanation.costs is not None
    found = explanation.costs.collectives
    index = Index(explanation)
    for kind, count in expected.items():
        members = [each for each in found if each.kind == kind]
        if len(members) != count:
            yield f"{explanation.name}: found {len(members)} {kind}, expected {count}"
            yield from _listed(index, members)
    received = total(found).bytes
    if max_bytes is not None and received > max_bytes:
        yield (
            f"{explanation.name}: a device receives {received:,.0f} bytes in a run ({bytes_text(received)}), "
            f"expected at most {max_bytes:,.0f}"
        )
        yield from _listed(index, [each for each in found if each.bytes])


def _listed(index: Index, collectives: Sequence[Collective]) -> Iterator[str]:
    by_size = sorted(collectives, key=lambda each: -each.total_bytes)
    for each in by_size[:_REPORTED]:
        yield from collective_lines(index, each)
    if len(by_size) > _REPORTED:
        yield f"  ... and {len(by_size) - _REPORTED:,} more"
