"""The steps of a loop, found in the runs of its programs.

A step ends when a call that already ran in it runs again on the same device. A call is one place in a
compiled JAX function; when that function is compiled anew, its calls take the places of the old ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def steps_of(
    device: Integers,
    call_site: Integers,
    execution: Integers,
    start: Integers,
    names: Sequence[Hashable],
) -> Integers:
    """Return the step of each run of a program, counted from 0 on each device.

    Args:
        device: the number of the device of each run, `[runs]`.
        call_site: the number of its call, `[runs]`.
        execution: the number of the execution of the JAX function that it is part of, `[runs]`.
        start: when it started, `[runs]`; runs may be in any order.
        names: what the program of each run does, and for which table, `[runs]`: only calls of equal
            names may take each other's places.
    """
    places = _places(call_site, execution, start, names)
    steps = np.zeros(len(device), np.int64)
    seen: dict[int, set[int]] = defaultdict(set)
    current: dict[int, int] = defaultdict(int)
    order = np.argsort(start, kind="stable")
    for run, place, on in zip(
        order.tolist(), places[order].tolist(), device[order].tolist(), strict=True
    ):
        if place in seen[on]:
            current[on] += 1
            seen[on] = set()
        seen[on].add(place)
        steps[run] = current[on]
    return steps


def _places(
    call_site: Integers,
    execution: Integers,
    start: Integers,
    names: Sequence[Hashable],
) -> Integers:
    """Return for each run its call site, or the first of those whose places it took."""
    sites, first, inverse = np.unique(call_site, return_index=True, return_inverse=True)
    begins = np.full(len(sites), np.iinfo(np.int64).max)
    ends = np.full(len(sites), np.iinfo(np.int64).min)
    np.minimum.at(begins, inverse, start)
    np.maximum.at(ends, inverse, start)
    executions: list[set[int]] = [set() for _ in sites]
    for site, number in zip(inverse.tolist(), execution.tolist(), strict=True):
        executions[site].add(number)
    held: dict[Hashable, list[int]] = defaultdict(list)  # The last site of each place, by name.
    place = np.arange(len(sites))
    for site in np.argsort(begins, kind="stable").tolist():
        last_sites = held[names[int(first[site])]]
        for at, last in enumerate(last_sites):
            # Two calls of one function run in one execution.
            if ends[last] < begins[site] and not executions[last] & executions[site]:
                place[site] = place[last]
                last_sites[at] = site
                break
        else:
            last_sites.append(site)
    return sites[place][inverse]
