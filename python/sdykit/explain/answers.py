"""Answers as text, for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sdykit.explain.model import Explanation, Tensor
from sdykit.explain.questions import (
    Index,
    changed,
    obstacles,
    reach,
    replicated,
    why,
    why_not,
)
from sdykit.explain.questions.axes import axes_of, name_of, overlaps
from sdykit.explain.sentences import (
    bytes_text,
    given_text,
    name_text,
    obstacle_text,
    refusal_text,
    type_text,
)
from sdykit.plurals import counted

_ROWS = 5
"""The rows of each list of a summary."""
_AXIS = re.compile(r'"([^"]+)"')
_TENSORS = 20
"""The tensors that one answer is about."""


def summary(index: Index, axis: str | None = None) -> str:
    """Return what there is to know first: what stands in the way of axes, and what has copies.

    Args:
        index: the explanation.
        axis: only what is about this one.
    """
    explanation = index.explanation
    divided = sum(any(axes_of(each.final)) for each in explanation.tensors)
    steps = sum(bool(step.changes) for step in explanation.steps)
    tensors = counted(len(explanation.tensors), "tensor")
    counts = f"{tensors}, {divided:,} divided, in {counted(steps, 'step')}"
    lines = [f"{explanation.name}: {counts}; {_meshes(explanation)}"]
    found = obstacles(index, axis)
    rows = [(each.bytes, obstacle_text(index, each)) for each in found[:_ROWS]]
    lines += _table("in the way, with what a device would hold less without it:", rows, len(found))
    copies = replicated(index, axis)
    rows = [
        (each.bytes, f"{_head(explanation.tensors[each.tensor])} not along {', '.join(each.axes)}")
        for each in copies[:_ROWS]
    ]
    lines += _table("the largest on a device that have copies:", rows, len(copies))
    return "\n".join([*lines, ""])


def about_tensors(index: Index, tensors: Sequence[Tensor], axis: str | None = None) -> str:
    """Return why tensors are sharded as they are, and why not otherwise.

    Args:
        index: the explanation.
        tensors: the tensors; the first twenty of them are told of.
        axis: only what is about this one.
    """
    lines = [line for each in tensors[:_TENSORS] for line in _about(index, each, axis)]
    if len(tensors) > _TENSORS:
        lines.append(f"... and {counted(len(tensors) - _TENSORS, 'more tensor')}")
    return "\n".join([*lines, ""])


def differences(first: Explanation, second: Explanation, axis: str | None = None) -> str:
    """Return which tensors are sharded otherwise in a second program, and why there.

    Args:
        first: the explanation of a program.
        second: that of another one.
        axis: only what is about this one.
    """
    found = changed(first, second, axis)
    along = "" if axis is None else f" along {axis}"
    if not found:
        return f"{second.name}: all shardings{along} are as in {first.name}\n"
    index = Index(second)
    count = f"{counted(len(found), 'tensor')} {'is' if len(found) == 1 else 'are'}"
    lines = [f"{second.name}: {count} sharded otherwise{along} than in {first.name}"]
    for each in found[:_TENSORS]:
        before = first.tensors[each.before]
        lines += why_changed(index, second.tensors[each.after], _sharding(before), axis)
    if len(found) > _TENSORS:
        lines.append(f"... and {counted(len(found) - _TENSORS, 'more tensor')}")
    return "\n".join([*lines, ""])


def why_changed(
    index: Index, tensor: Tensor, before: str, only: str | None = None
) -> Iterator[str]:
    """Yield what a sharding was and became, why axes are gone and where new ones come from.

    Args:
        index: the explanation of the program as it is now.
        tensor: the tensor.
        before: the text of its sharding before, as it is printed.
        only: only why this axis is gone or new; None: any axis.
    """
    yield f"{_name(tensor)}: {before} became {_sharding(tensor)}"
    had = set(_AXIS.findall(before.partition("]")[0]))
    final = list(dict.fromkeys(axes_of(tensor.final)))
    for axis in sorted(set(map(name_of, had)) - set(map(name_of, final))):
        if only is None or overlaps(axis, only):
            yield from _why_not(index, tensor, axis)
    for axis in sorted(each for each in final if each not in had):
        if only is None or overlaps(axis, only):
            yield from _why(index, tensor, axis)


def _about(index: Index, tensor: Tensor, only: str | None) -> Iterator[str]:
    yield _head(tensor)
    final = list(axes_of(tensor.final))
    for axis in dict.fromkeys(final):
        if only is None or overlaps(axis, only):
            yield from _why(index, tensor, axis)
    used = set(map(name_of, final))
    for axis in _axes(index.explanation, tensor):
        if axis not in used and (only is None or name_of(only) == axis) and tensor.shape:
            yield from _why_not(index, tensor, axis)
    if tensor.given is not None:
        found = reach(index, [tensor.number])
        saved = bytes_text(found.bytes_saved)
        others = counted(len(found.tensors), "other tensor")
        given = given_text(index, tensor, tensor.given)
        yield f"  given by {given}; reached {others}, {saved} less on a device"


def _why(index: Index, tensor: Tensor, axis: str) -> Iterator[str]:
    yield f"  along {axis}:"
    explanation = index.explanation
    for link in why(index, tensor.number, axis):
        each = explanation.tensors[link.tensor]
        name = f"    {name_text(each)} dimension {link.dimension}"
        if link.step is None or link.op is None:
            assert link.given is not None
            yield f"{name}, given by {given_text(index, each, link.given)}"
        else:
            step, op = explanation.steps[link.step], explanation.ops[link.op]
            at = "" if op.source is None else f" at {op.source}"
            yield f"{name}, in step {step.number}, op priority {step.op_priority}, through {op.name}{at}"


def _why_not(index: Index, tensor: Tensor, axis: str) -> Iterator[str]:
    found = why_not(index, tensor.number, axis)
    if not found:
        yield f"  not along {axis}: no tensor that it is connected with has it on a dimension they share"
        return
    yield f"  not along {axis}:"
    for each in found[:_ROWS]:
        name = name_text(index.explanation.tensors[each.refusal.tensor])
        ops = counted(each.distance, "op")
        away = "" if each.distance == 0 else f"{name}, {ops} away: "
        yield f"    {away}{refusal_text(index, each.op, each.refusal)}"


def _table(title: str, rows: Iterable[tuple[float, str]], count: int) -> Iterator[str]:
    rows = list(rows)
    if not rows:
        return
    yield title
    for size, text in rows:
        yield f"  {bytes_text(size):>9}  {text}"
    if count > len(rows):
        yield f"  ... and {count - len(rows):,} more"


def _head(tensor: Tensor) -> str:
    return f"{_name(tensor)} {_sharding(tensor)}"


def _name(tensor: Tensor) -> str:
    at = "" if tensor.source is None else f" at {tensor.source}"
    return f"{name_text(tensor)}: {type_text(tensor)}{at}"


def _sharding(tensor: Tensor) -> str:
    return "no sharding" if tensor.final is None else str(tensor.final)


def _axes(explanation: Explanation, tensor: Tensor) -> Iterable[str]:
    mesh = next(iter(explanation.meshes), "") if tensor.final is None else tensor.final.mesh
    return explanation.meshes.get(mesh, {})


def _meshes(explanation: Explanation) -> str:
    texts = (
        f"@{name} {' '.join(f'{axis}={size}' for axis, size in axes.items())}"
        for name, axes in explanation.meshes.items()
    )
    return ", ".join(texts) or "no mesh"
