"""Names of functions as programs of a module, as in jaxlib 0.10.2: `p0_f_fwd_calls0to3.step`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from sdykit.core.mpmd.origins import INFERRED
from sdykit.passes.mpmd.lower_to_fragment_calls.fragments import Fragment
from sdykit.passes.mpmd.lower_to_fragment_calls.groups import Group

_MAX_BYTES = 200
"""The maximum length of a name in bytes, without the name of the module."""
_CUT_MARK = "<...>"

_COUNTED = re.compile(r"(.*)_(-?)0*([0-9]{1,19})", re.DOTALL)
_INT64 = range(-(2**63), 2**63)
_UINT32 = 2**32

_JIT = "jit_"


def is_forward(fragments: Sequence[Fragment]) -> bool:
    """Return whether nothing in any of the fragments is transposed."""
    return not any(origin.transpose_count for fragment in fragments for origin in fragment.origins)


def program_names(groups: Sequence[Group], module: str, *, forward: bool) -> list[str]:
    """Return the names of the functions of a module, such as `p0_f_fwd_calls0to3.module`.

    Args:
        groups: for each function the fragments that call it.
        module: the name of the module.
        forward: whether nothing in the module is transposed; then phases are left out.
    """
    suffix = "." + module.removeprefix(_JIT)
    names = [
        f"p{number}_{_name(group[0], forward)}{_calls(group, forward)}"
        for number, group in enumerate(groups)
    ]
    return [_cut(name) + suffix for name in names]


def _name(fragment: Fragment, forward: bool) -> str:
    """Return the stage of a fragment, or its most frequent origin, with its phases."""
    stage = fragment.stage
    name = _most_frequent(fragment) if stage is None else f"stage{stage}"
    if forward:
        return name
    counts = sorted({origin.transpose_count for origin in fragment.origins})
    return name + "".join(map(_phase, counts))


def _phase(transpose_count: int) -> str:
    words = {0: "_fwd", 1: "_bwd"}
    return words.get(transpose_count, f"_transpose{transpose_count}")


def _most_frequent(fragment: Fragment) -> str:
    """Return the most frequent head of the origins, with the range of its counters."""
    if not fragment.origins:
        return INFERRED
    counters: dict[str, list[int | None]] = defaultdict(list)
    for origin in fragment.origins:
        head, counter = _split(origin.user_name)
        counters[head].append(counter)
    head = min(counters, key=lambda head: (-len(counters[head]), _bytes(head)))
    numbers = [number for number in counters[head] if number is not None]
    backward = all(origin.transpose_count == 1 for origin in fragment.origins)
    others = "..." if len(counters) > 1 else ""
    return head + _range(numbers, backward) + others


def _split(name: str) -> tuple[str, int | None]:
    match = _COUNTED.fullmatch(name)
    if match is None or int(match[2] + match[3]) not in _INT64:
        return name, None
    return match[1], int(match[2] + match[3])


def _range(numbers: Sequence[int], backward: bool) -> str:
    if not numbers:
        return ""
    first, last = min(numbers), max(numbers)
    if first == last:
        return f"_{first}"
    return f"_{last}:{first}" if backward else f"_{first}:{last}"


def _calls(group: Group, forward: bool) -> str:
    """Return the range of calls that a function stands for, if they are consecutive."""
    counters = [fragment.call_counter for fragment in group]
    numbers = [counter for counter in counters if counter is not None]
    if len(numbers) < len(counters) or not _has_one_name_per_mesh(group, forward):
        return ""
    if len(numbers) == 1:
        return f"_call{numbers[0]}"
    steps = {(after - before) % _UINT32 for before, after in pairwise(numbers)}
    if steps == {1}:
        return f"_calls{min(numbers)}to{max(numbers)}"
    if steps == {_UINT32 - 1}:
        return f"_calls{max(numbers)}from{min(numbers)}"
    return ""


def _has_one_name_per_mesh(group: Group, forward: bool) -> bool:
    names = {(fragment.mesh_name, _name(fragment, forward)) for fragment in group}
    return len(names) == len({mesh for mesh, _ in names})


def _cut(name: str) -> str:
    raw = _bytes(name)
    if len(raw) <= _MAX_BYTES:
        return name
    return raw[: _MAX_BYTES - len(_CUT_MARK)].decode("utf-8", "surrogateescape") + _CUT_MARK


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
