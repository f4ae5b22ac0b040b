"""All shardings, or collectives, of a program in a file kept with it, so that a change is seen."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sdykit.errors import SdykitError
from sdykit.explain.answers import why_changed
from sdykit.explain.costs.differing import (
    collectives_text,
    differences_from,
    read_collectives,
)
from sdykit.explain.from_jax import explain
from sdykit.explain.model import Explanation, Tensor
from sdykit.explain.questions.index import Index
from sdykit.explain.sentences import type_text
from sdykit.opt.io import outputs
from sdykit.plurals import counted

UPDATE = "SDYKIT_UPDATE_GOLDEN"
"""The environment variable that makes `assert_shardings` write the files anew, if it is 1."""

_HEADER = """\
# The shardings of all tensors after propagation: what makes a tensor, its type, its sharding.
# Written by sdykit explain --golden; compared in tests by sdykit.explain.assert_shardings.
"""
_REPORTED = 10
"""The tensors that an error tells of."""


def golden_text(explanation: Explanation) -> str:
    """Return the text of a golden file: a line for each tensor with dimensions.

    If collectives were found, the file is about them instead: see `collectives_text`. Lines do not name lines of the user's files, so that an edit elsewhere changes none.
    """
    if explanation.costs is not None:
        return collectives_text(explanation)
    lines = (f"{key}  {sharding}\n" for key, (_, sharding) in _entries(explanation).items())
    return "".join([_HEADER, *lines])


def differences_from_golden(explanation: Explanation, text: str, name: str) -> str:
    """Return how a program differs from a golden file, and why; empty if it does not.

    Args:
        explanation: the program as it is.
        text: the text of the file.
        name: the name of the file, for the answer.

    Raises:
        SdykitError: the text is no golden file.
    """
    if explanation.costs is not None:
        return differences_from(explanation, read_collectives(text, name), name)
    wanted = _read(text, name)
    found = _entries(explanation)
    changed = [
        (tensor, wanted[key], sharding)
        for key, (tensor, sharding) in found.items()
        if key in wanted and wanted[key] != sharding
    ]
    new = [key for key in found if key not in wanted]
    gone = [key for key in wanted if key not in found]
    lines: list[str] = []
    index = Index(explanation)
    if changed:
        lines.append(f"{_count(changed)} sharded otherwise than in {name}:")
        for tensor, old, _ in changed[:_REPORTED]:
            lines += why_changed(index, tensor, old)
        if len(changed) > _REPORTED:
            lines.append(f"... and {len(changed) - _REPORTED:,} more")
    for what, keys in (("not in", new), ("gone, but in", gone)):
        if keys:
            lines.append(f"{_count(keys)} {what} {name}:")
            lines += [f"  {key}" for key in keys[:_REPORTED]]
    return "".join(f"{line}\n" for line in lines)


def assert_shardings(
    fn: Callable[..., Any],
    *args: Any,
    golden: str | os.PathLike[str],
    in_shardings: Any = None,
    out_shardings: Any = None,
    mesh: Any = None,
) -> None:
    """Assert that the shardings of a JAX function are those of a golden file.

    With `SDYKIT_UPDATE_GOLDEN=1` in the environment the file is written instead.

    Args:
        fn: as for `explain`, like all other arguments.
        *args: its arguments.
        golden: the file.
        in_shardings: the shardings of the arguments.
        out_shardings: the shardings of the results.
        mesh: the mesh.

    Raises:
        AssertionError: they differ; the text says which, where in the program and why, and how to
            update the file.
        SdykitError: there is no such file, or it is no golden file.
    """
    explanation = explain(
        fn, *args, in_shardings=in_shardings, out_shardings=out_shardings, mesh=mesh
    )
    path = Path(golden)
    if os.environ.get(UPDATE) == "1":
        outputs.write(str(path), golden_text(explanation).encode())
        return
    difference = compare_with_file(explanation, path)
    if difference:
        raise AssertionError(f"{difference}to accept this, run again with {UPDATE}=1")


def compare_with_file(explanation: Explanation, path: Path) -> str:
    """Return how a program differs from a golden file, empty if it does not.

    Raises:
        SdykitError: there is no such file, or it is no golden file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SdykitError(f"there is no golden file {path}; write it first") from None
    except (OSError, ValueError) as error:
        raise SdykitError(f"cannot read golden file {path}: {error}") from None
    return differences_from_golden(explanation, text, str(path))


def _count(tensors: Sequence[object]) -> str:
    return f"{counted(len(tensors), 'tensor')} {'is' if len(tensors) == 1 else 'are'}"


def _entries(explanation: Explanation) -> dict[str, tuple[Tensor, str]]:
    """Return the tensors with dimensions and their shardings, by what tells them apart."""
    counts: Counter[str] = Counter()
    found: dict[str, tuple[Tensor, str]] = {}
    for tensor in _tensors(explanation):
        key = f"{_origin(explanation, tensor)}  {type_text(tensor)}"
        counts[key] += 1
        key = key if counts[key] == 1 else f"{key} #{counts[key]}"
        found[key] = tensor, "none" if tensor.final is None else str(tensor.final)
    return found


def _tensors(explanation: Explanation) -> Iterator[Tensor]:
    for tensor in explanation.tensors:
        if tensor.shape and not explanation.ops[tensor.op].is_erased:
            yield tensor


def _origin(explanation: Explanation, tensor: Tensor) -> str:
    if tensor.kind != "value":
        return f"{tensor.kind} {tensor.label or tensor.name}"
    scope = tensor.source.scope if tensor.source is not None else ""
    return " ".join(filter(None, (scope, explanation.ops[tensor.op].name)))


def _read(text: str, name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        key, _, sharding = line.rpartition("  ")
        if not key:
            raise SdykitError(
                f"{name}:{number}: found {line!r}; expected a tensor, two blanks and its sharding"
            )
        found[key] = sharding
    return found
