"""Finds the tensors that a question is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from sdykit.errors import SdykitError
from sdykit.explain.model import Explanation, Tensor
from sdykit.explain.questions.axes import parts


def tensors_named(explanation: Explanation, name: str) -> list[Tensor]:
    """Return the tensors of a name: `%12`, `%5#1`, or that of an argument or result in JAX.

    Raises:
        SdykitError: there is none; the text has the nearest names.
    """
    found = [each for each in explanation.tensors if name and name in (*each.names, each.label)]
    if found:
        return found
    known = [text for each in explanation.tensors for text in (*each.names, each.label) if text]
    raise SdykitError(f"{explanation.name} has no value {name!r}; {_nearest(name, known)}")


def tensors_of_ops(explanation: Explanation, name: str) -> list[Tensor]:
    """Return the results of all ops of a name, with its dialect or without.

    Raises:
        SdykitError: there is no such op.
    """
    found = [
        explanation.tensors[result]
        for op in explanation.ops
        if name in (op.name, op.name.partition(".")[2])
        for result in op.results
    ]
    if found:
        return list(dict.fromkeys(found))
    known = sorted(
        {each for op in explanation.ops for each in (op.name, op.name.partition(".")[2])}
    )
    raise SdykitError(
        f"{explanation.name} has no op {name!r} with results; {_nearest(name, known)}"
    )


def tensors_at(explanation: Explanation, line: str) -> list[Tensor]:
    """Return the tensors of a line of the user's program: `40`, or `model.py:40`.

    Raises:
        SdykitError: the line is no number, or nothing comes from it.
    """
    file, _, number = line.rpartition(":")
    if not number.isdecimal():
        raise SdykitError(f"--line: found {line!r}; expected a line such as 40 or model.py:40")
    sources = [(each, each.source) for each in explanation.tensors if each.source is not None]
    wanted = int(number)
    in_file = [(each, source) for each, source in sources if source.file.endswith(file)]
    found = [each for each, source in in_file if source.line == wanted]
    if found:
        return found
    if not sources:
        raise SdykitError(
            f"{explanation.name} does not say which lines its values come from; lower it with "
            "debuginfo=True"
        )
    by_distance = sorted((abs(source.line - wanted), str(source)) for _, source in in_file)
    near = list(dict.fromkeys(text for _, text in by_distance))[:3]
    expected = f"the nearest are {', '.join(near)}" if near else f"none is of a file {file!r}"
    raise SdykitError(f"{explanation.name} has no value of line {line}; {expected}")


def check_axis(explanation: Explanation, axis: str) -> None:
    """Check that a mesh has an axis.

    Raises:
        SdykitError: none has it.
    """
    known = list(dict.fromkeys(name for axes in explanation.meshes.values() for name in axes))
    if parts(axis)[0] not in known:
        listed = ", ".join(known) or "none"
        raise SdykitError(f"{explanation.name} has no mesh axis {axis!r}; its axes: {listed}")


def _nearest(name: str, known: Iterable[str]) -> str:
    found: Sequence[str] = get_close_matches(name, list(dict.fromkeys(known)), 3, 0.4)
    return f"did you mean {' or '.join(found)}?" if found else "none is like it"
