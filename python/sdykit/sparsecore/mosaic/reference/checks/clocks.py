"""Vector clocks: which agent knows of which accesses of the others.

Each agent has a clock, and counts in it how far it has come. It also knows how far each other agent
had come when word of that last reached it: by a barrier, a semaphore, or a `fetch_and_add`. An
access happens before another if the agent of the second knows of it.
"""

from __future__ import annotations


class Clocks:
    """The clocks of all agents, and of what they meet at.

    A clock is a list of integers, one for each agent: `clocks[i][j]` is how far `j` had come when
    `i` last heard of it.
    """

    def __init__(self, agents: int) -> None:
        self._clocks = [[int(i == j) for j in range(agents)] for i in range(agents)]
        self._met: dict[int, list[int]] = {}

    def now(self, agent: int) -> int:
        """Return how far an agent has come."""
        return self._clocks[agent][agent]

    def knows(self, agent: int, other: int, time: int) -> bool:
        """Return whether an agent knows that another had come to a time."""
        return self._clocks[agent][other] >= time

    def release(self, agent: int, meeting: int) -> None:
        """Leave what an agent knows at a semaphore or word; what it does next is not part of it."""
        clock = self._clocks[agent]
        self._met[meeting] = _joined(self._met.get(meeting, clock), clock)
        clock[agent] += 1

    def acquire(self, agent: int, meeting: int) -> None:
        """Learn what others have left at a semaphore or word."""
        if meeting in self._met:
            self._clocks[agent] = _joined(self._clocks[agent], self._met[meeting])

    def join(self, agents: list[int]) -> None:
        """Let each agent know all that the others know."""
        everything = self._clocks[agents[0]]
        for agent in agents[1:]:
            everything = _joined(everything, self._clocks[agent])
        for agent in agents:
            self._clocks[agent] = list(everything)
            self._clocks[agent][agent] += 1


def _joined(left: list[int], right: list[int]) -> list[int]:
    return [max(pair) for pair in zip(left, right, strict=True)]
