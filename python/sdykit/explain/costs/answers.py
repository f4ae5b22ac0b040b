"""What a program communicates, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdykit.explain.costs.bandwidths import ASSUMPTION
from sdykit.explain.costs.comparing import difference_counts, kind_rows, places
from sdykit.explain.costs.model import Collective, Costs
from sdykit.explain.costs.sentences import (
    head_text,
    often_text,
    reasons_of,
    shardings_text,
    uncounted_text,
)
from sdykit.explain.costs.totals import Total, by_axes, by_kind, total
from sdykit.explain.model import Explanation, Tensor
from sdykit.explain.questions.axes import is_along
from sdykit.explain.questions.index import Index
from sdykit.explain.sentences import bytes_text
from sdykit.plurals import counted

_ROWS = 20
"""The collectives that are told one by one."""


def costs_text(
    index: Index, axis: str | None = None, tensors: Sequence[Tensor] | None = None
) -> str:
    """Return what collectives a program has, what they move and why they are needed.

    Args:
        index: the explanation, with costs.
        axis: only those along this axis.
        tensors: only those of these tensors, or of ops with these results.
    """
    explanation = index.explanation
    assert explanation.costs is not None
    found = sorted(
        _selected(index, explanation.costs, axis, tensors),
        key=lambda each: (-each.total_bytes, each.number),
    )
    lines = [f"{explanation.name}: {summary_text(found)}"]
    if len(by_axes(found)) > 1:
        lines += _totals(
            "by axes:", ((" and ".join(key), each) for key, each in by_axes(found).items())
        )
    if len(by_kind(found)) > 1:
        lines += _totals("by kind:", by_kind(found).items())
    if found:
        lines.append("what a device receives in a run, for each:")
    for each in found[:_ROWS]:
        lines += collective_lines(index, each)
    if len(found) > _ROWS:
        rest = total(found[_ROWS:])
        lines.append(f"  ... and {rest.count:,} more, {bytes_text(rest.bytes)} together")
    lines += _uncounted(index, axis, tensors)
    if explanation.costs.is_timed:
        lines.append(f"times: {ASSUMPTION}")
        untimed = sum(each.seconds is None for each in found)
        if untimed:
            lines.append(f"without a time: {untimed}, along axes whose bandwidth is not given")
    return "\n".join([*lines, ""])


def _uncounted(index: Index, axis: str | None, tensors: Sequence[Tensor] | None) -> Iterator[str]:
    """Yield what is left to the partitioner, if there is such."""
    explanation = index.explanation
    assert explanation.costs is not None
    numbers = None if tensors is None else {each.number for each in tensors}
    found = [
        each
        for each in explanation.costs.uncounted
        if (axis is None or is_along(each.axes, axis))
        and (
            numbers is None
            or not numbers.isdisjoint((each.tensor, *explanation.ops[each.op].results))
        )
    ]
    if found:
        yield "not counted, as the partitioner decides how devices exchange it:"
    for each in found[:_ROWS]:
        yield f"  {uncounted_text(index, each)}"
    if len(found) > _ROWS:
        yield f"  ... and {len(found) - _ROWS:,} more"


def time_text(seconds: float) -> str:
    """Return a time in words, such as `12.0 us`."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _selected(
    index: Index, costs: Costs, axis: str | None, tensors: Sequence[Tensor] | None
) -> Iterator[Collective]:
    numbers = None if tensors is None else {each.number for each in tensors}
    for each in costs.collectives:
        if axis is not None and not is_along(each.axes, axis):
            continue
        results = () if each.op is None else index.explanation.ops[each.op].results
        if numbers is None or not numbers.isdisjoint((each.tensor, *results)):
            yield each


def summary_text(found: Sequence[Collective]) -> str:
    """Return how many collectives there are, and what a device receives in a run."""
    if not found:
        return "no collectives"
    sum_ = total(found)
    text = (
        f"{counted(sum_.count, 'collective')}; a device receives {bytes_text(sum_.bytes)} in a run"
    )
    if any(each.seconds is not None for each in found):
        text += f", {time_text(sum_.seconds)}"
    if any(each.is_in_unknown_loop for each in found):
        text += "; loops of unknown trip count counted once"
    return text


def _totals(title: str, rows: Iterable[tuple[str, Total]]) -> Iterator[str]:
    yield title
    for name, each in rows:
        yield (
            f"  {bytes_text(each.bytes):>9}  {name}: {counted(each.count, 'collective')}, "
            f"{bytes_text(each.operand_bytes)} of operands"
        )


def collective_lines(index: Index, collective: Collective) -> Iterator[str]:
    """Yield what a collective does, how much it moves, and why it is needed."""
    details = [often_text(collective), f"operand {bytes_text(collective.operand_bytes)}"]
    if collective.seconds:
        details.append(time_text(collective.seconds))
    named = ", ".join(filter(None, details))
    yield f"  {bytes_text(collective.total_bytes):>9}  {head_text(index, collective)} ({named})"
    shardings = shardings_text(collective)
    if shardings:
        yield f"             {shardings}"
    for reason in reasons_of(index, collective):
        yield f"             {reason}"


def compiled_text(explanation: Explanation) -> str:
    """Return how the collectives differ from those of the program that XLA compiles."""
    costs = explanation.costs
    assert costs is not None
    found = places(explanation)
    equal = sum(place.is_equal for place in found)
    lines = [
        "all of it beside the program that XLA compiles for CPU devices, operand bytes in a run:"
    ]
    for kind, ours, theirs in kind_rows(costs):
        lines.append(f"  {kind}: {_amount(ours)} here, {_amount(theirs)} compiled")
    lines.append(f"  equal at {equal} of {counted(len(found), 'line')} of the program")
    counts = difference_counts(explanation, found)
    for (source, text), count in list(counts.items())[:_ROWS]:
        times = "" if count == 1 else f" ({count} times)"
        lines.append(f"  {source or 'somewhere'}: {text}{times}")
    if len(counts) > _ROWS:
        lines.append(f"  ... and {len(counts) - _ROWS:,} more")
    return "\n".join([*lines, ""])


def _amount(amount: tuple[int, int]) -> str:
    count, size = amount
    return f"{count} of {size:,} bytes" if count else "none"
