"""When the steps of a program run, if meshes work side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sdykit.viz.mpmd_model import Step


def with_ticks(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Give the steps with their `tick`.

    A fragment takes one tick. It starts when all fragments before it on its mesh are done,
    and those whose values it reads; transfers take no time. A transfer stands behind its
    producer and behind all fragments that the program has before it on its two meshes, so
    that one that was put off is seen to be. A model of the order, not of time.
    """
    busy: dict[str, int] = defaultdict(int)
    """For each lane the last tick taken."""
    done: list[int] = []
    result = []
    for step in steps:
        sources = [port.source.step for port in step.inputs if port.source is not None]
        ready = [done[number] for number in sources if number is not None]
        tick = max([*ready, *(busy[lane] for lane in step.lanes)], default=0)
        if step.kind != "transfer":
            tick += 1
            busy.update(dict.fromkeys(step.lanes, tick))
        done.append(tick)
        result.append(replace(step, tick=tick))
    return tuple(result)
