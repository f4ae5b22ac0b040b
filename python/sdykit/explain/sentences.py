"""Answers in words: who gave a sharding, and why an axis did not come to a tensor."""

from __future__ import annotations

from sdykit.explain.model import Given, Refusal, SourceLine, Tensor
from sdykit.explain.questions.index import Index
from sdykit.explain.questions.obstacles import Obstacle
from sdykit.plurals import counted

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def bytes_text(count: float) -> str:
    """Return a size in words, such as `12.0 MiB`."""
    at = 0
    while count >= 1024 and at < len(_UNITS) - 1:
        count, at = count / 1024, at + 1
    return f"{count:.0f} {_UNITS[at]}" if at == 0 or count >= 100 else f"{count:.1f} {_UNITS[at]}"


def name_text(tensor: Tensor) -> str:
    """Return the name of a tensor: that of a JAX argument or result if there is one."""
    if tensor.kind == "result":
        return (
            tensor.label if tensor.label.startswith("result") else f"result {tensor.label}".strip()
        )
    return tensor.label or tensor.name


def type_text(tensor: Tensor) -> str:
    """Return the type of a tensor as JAX writes it, such as `f32[8,16]`."""
    return f"{tensor.dtype}[{','.join(map(str, tensor.shape))}]"


def given_text(index: Index, tensor: Tensor, given: Given) -> str:
    """Return who gave a sharding, such as `constraint at model.py:12`."""
    if given.like is not None:
        return f"its group, like {name_text(index.explanation.tensors[given.like])}"
    if given.by == "op" and given.op is not None:
        return f"{index.explanation.ops[given.op].name}{_at(given.source)}"
    is_named = given.by in ("argument", "result")
    return f"{given.by} {name_text(tensor)}" if is_named else f"{given.by}{_at(given.source)}"


def refusal_text(index: Index, op: int, refusal: Refusal) -> str:
    """Return why an axis did not come to a tensor at an op, in a sentence."""
    tensors, where = index.explanation.tensors, index.explanation.ops[op]
    way = f"{refusal.axis} from {name_text(tensors[refusal.source])}"
    return f"{where.name}{_at(where.source)} does not pass on {way}: {_reason(index, op, refusal)}"


def obstacle_text(index: Index, obstacle: Obstacle) -> str:
    """Return what stands in the way of axes, and of which, in a line."""
    tensor = index.explanation.tensors[obstacle.tensor]
    axes = " and ".join(obstacle.axes)
    lost = counted(len(obstacle.refusals), "tensor")
    if obstacle.given is not None:
        who = given_text(index, tensor, obstacle.given)
        return f"{who}, {obstacle.given.sharding}, keeps {axes} from {lost}"
    op, refusal = obstacle.refusals[0]
    return f"{refusal_text(index, op, refusal)}; this keeps {axes} from {lost}"


def _reason(index: Index, op: int, refusal: Refusal) -> str:
    by = None if refusal.by is None else index.explanation.tensors[refusal.by]
    dimension = f"dimension {refusal.by_dimension} of {name_text(by)}" if by is not None else ""
    has = f"{dimension} is divided along {refusal.by_axis}{_since(index, by, refusal)}"
    match refusal.reason:
        case "direction":
            return f"op priority {_later(refusal)} lets it go this way"
        case "several uses":
            name = "" if by is None else name_text(by)
            return f"{name} has several uses; op priority {_later(refusal)} lets it go this way"
        case "blocked":
            return f"dimension {refusal.dimension} is blocked, of kind {refusal.kind}"
        case "closed":
            return f"{dimension} is closed{_by_whom(index, by)}"
        case "used":
            return f"{has}, and no axis divides a tensor twice"
        case "conflict":
            return has
        case "replicated" | "unreduced":
            name = "" if by is None else name_text(by)
            return f"{name} has {refusal.by_axis or refusal.axis} {refusal.reason}{_by_whom(index, by)}"
        case "does not divide":
            part = f"the part of size {refusal.size} of {dimension or 'a dimension'}"
            if refusal.kind == "before":
                return f"{part} comes before it, and is divided into {refusal.divided} only"
            return f"{part}, divided into {refusal.divided} already, cannot be divided by it"
        case "overflow":
            return f"{dimension or f'dimension {refusal.dimension}'} has more axes than divide it evenly"
        case "conservative":
            return "it would be split, which conservative propagation does not do"
        case "no rule":
            return f"{index.explanation.ops[op].name} has no sharding rule"
        case "no common mesh":
            return f"{'' if by is None else name_text(by)} is on another mesh{_by_whom(index, by)}"
        case "maximal":
            return (
                f"{'' if by is None else name_text(by)} is on a single device{_by_whom(index, by)}"
            )
        case "no slot":
            return "no sharding can be written there"


def _later(refusal: Refusal) -> str:
    return "none" if refusal.op_priority is None else str(refusal.op_priority)


def _since(index: Index, by: Tensor | None, refusal: Refusal) -> str:
    if refusal.since is not None:
        return f" since step {refusal.since}"
    return _by_whom(index, by)


def _by_whom(index: Index, tensor: Tensor | None) -> str:
    if tensor is None or tensor.given is None:
        return ""
    return f", as {given_text(index, tensor, tensor.given)} says"


def _at(source: SourceLine | None) -> str:
    return "" if source is None else f" at {source}"
