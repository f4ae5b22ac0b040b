"""Collectives in words."""

from __future__ import annotations

from sdykit.explain.costs.model import Cause, Collective, Uncounted
from sdykit.explain.costs.totals import axes_of
from sdykit.explain.model import Explanation, SourceLine
from sdykit.explain.questions.index import Index
from sdykit.explain.questions.why import why
from sdykit.explain.sentences import given_text, name_text, refusal_text, type_text


def head_text(index: Index, collective: Collective) -> str:
    """Return what a collective does, such as `all_gather of %2: f32[8,16] along model at model.py:9`."""
    axes = ", ".join(collective.axes) or "no axis"
    tensors = index.explanation.tensors
    tensor = None if collective.tensor is None else tensors[collective.tensor]
    what = "" if tensor is None else f" of {name_text(tensor)}: {type_text(tensor)}"
    at = "" if collective.source is None else f" at {collective.source}"
    return f"{collective.kind}{what} along {axes}{at}"


def often_text(collective: Collective) -> str:
    """Return how often a collective runs, empty if it is once."""
    each = "" if collective.runs == 1 else f"{collective.runs:,} times"
    if collective.is_in_unknown_loop:
        each = f"{each} per iteration, trip count unknown".strip()
    branch = "in a branch that may not run" if collective.is_in_branch else ""
    return ", ".join(filter(None, (each, branch)))


def shardings_text(collective: Collective) -> str:
    """Return the two shardings that disagree; empty if there are not two."""
    before, after = collective.before, collective.after
    if before is None or after is None or before.dims == after.dims:
        return ""
    return f"{before} becomes {after}"


def cause_text(index: Index, cause: Cause) -> str:
    """Return why a collective is needed for an axis, in a sentence."""
    explanation = index.explanation
    where = "an op" if cause.op is None else _op_text(explanation, cause.op)
    name = "a tensor" if cause.tensor is None else name_text(explanation.tensors[cause.tensor])
    dimension = f"dimension {cause.dimension} of {name}"
    origin = _origin(index, cause)
    match cause.kind:
        case "sum":
            return f"{where} reduces over {dimension}, which is divided along {cause.axis}{origin}"
        case "whole":
            return f"{where} cannot run on parts of {dimension}, which is divided along {cause.axis}{origin}"
        case "used":
            return f"{where} is computed with {dimension} divided along {cause.axis}{origin}"
        case "refused":
            assert cause.refusal is not None
            assert cause.op is not None
            return refusal_text(index, cause.op, cause.refusal)
        case "unreduced":
            return f"{name} has {cause.axis} unreduced{_by_whom(index, cause)}"
        case "differs":
            return f"{where} is computed with other axes than {name} is divided along"
        case "written":
            return f"the program has it itself, as {where}"


def uncounted_text(index: Index, uncounted: Uncounted) -> str:
    """Return what an op exchanges that is not counted, in a sentence."""
    explanation = index.explanation
    where = _op_text(explanation, uncounted.op)
    tensor = uncounted.tensor
    name = "a tensor" if tensor is None else name_text(explanation.tensors[tensor])
    axes = " and ".join(uncounted.axes)
    if uncounted.dimension is None:
        return f"{where} has no sharding rule, and {name} is divided along {axes}"
    return (
        f"{where} needs what is next to a part of dimension {uncounted.dimension} of {name}, "
        f"which is divided along {axes}"
    )


def reasons_of(index: Index, collective: Collective) -> list[str]:
    """Return the sentences of all causes of a collective, each once."""
    return list(dict.fromkeys(cause_text(index, each) for each in collective.causes))


def along(collective: Collective) -> str:
    """Return the mesh axes of a collective, as a text."""
    return " and ".join(axes_of(collective)) or "no axis"


def _by_whom(index: Index, cause: Cause) -> str:
    tensor = None if cause.tensor is None else index.explanation.tensors[cause.tensor]
    if tensor is None or tensor.given is None:
        return ""
    return f", as {given_text(index, tensor, tensor.given)} says"


def source_of_op(explanation: Explanation, number: int) -> SourceLine | None:
    """Return the line of an op, else that of the call that it is in; None if no line is known."""
    op = explanation.ops[number]
    while op.source is None and op.parent is not None:
        op = explanation.ops[op.parent]
    return op.source


def _op_text(explanation: Explanation, number: int) -> str:
    source = source_of_op(explanation, number)
    return f"{explanation.ops[number].name}{'' if source is None else f' at {source}'}"


def _origin(index: Index, cause: Cause) -> str:
    """Return since when a tensor has an axis, and who gave it; empty if it has it only for this op."""
    links = () if cause.tensor is None else why(index, cause.tensor, cause.axis)
    if not links or (cause.dimension is not None and links[0].dimension != cause.dimension):
        return ""
    since = "" if cause.step is None else f" since step {cause.step}"
    last = links[-1]
    if last.given is None:
        return since
    tensor = index.explanation.tensors[last.tensor]
    return f"{since}, from {given_text(index, tensor, last.given)}"
