"""Random accesses of the iterations of a `parallel_loop`, in the reference and in C++."""

from __future__ import annotations

import random

from sdykit.sparsecore import _machine
from sdykit.sparsecore.mosaic.reference.checks import Region
from sdykit.sparsecore.mosaic.reference.checks.loops import ParallelLoop
from sdykit.sparsecore.mosaic.reports import Action


def conflicts_in_loop(seed: int) -> int:
    """Touch bytes in iterations of a loop, in both engines; return how many conflicts both find."""
    rng = random.Random(seed)
    reference, compiled = ParallelLoop(0, 77), _machine.ParallelLoop(77)
    widths = rng.choice([(4,), (4, 8), (1, 2, 4, 16)])
    actions = rng.choice([(Action.READ, Action.WRITE), tuple(Action), (Action.READ, Action.ADD)])
    base = rng.choice([0, 240, 4096 - 8])
    total = 0
    for step in range(40):
        if step == 0 or rng.random() < 0.4:
            reference.next()
            compiled.next()
        if rng.random() < 0.05:  # The iteration makes the buffer anew.
            reference.forget((0, 0))
            compiled.forget(0, 1 << 16)
        width = rng.choice(widths)
        begin = base + width * rng.randrange(48 // width)
        count = rng.choice([1, 1, 2, 5])
        place, action = rng.randrange(6), rng.choice(actions)
        region = Region(0, 0, begin, (count,), (width,), width)
        expected = [
            (each.other_iteration, each.other_place, int(each.other_action))
            for each in reference.touch(place, region, action)
        ]
        # Accesses of one iteration, line and kind are the same to a user.
        expected = list(dict.fromkeys(expected))
        found = compiled.touch(begin, begin + count * width, place, int(action))
        assert found == expected, f"seed {seed}"
        total += len(found)
    return total
