"""The page of an explanation, for a browser."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from sdykit.explain.costs.bandwidths import ASSUMPTION
from sdykit.explain.costs.comparing import difference_counts, kind_rows, places
from sdykit.explain.costs.model import Collective, Costs
from sdykit.explain.costs.sentences import (
    cause_text,
    often_text,
    shardings_text,
    uncounted_text,
)
from sdykit.explain.costs.totals import by_axes
from sdykit.explain.model import Explanation, Given, Refusal, SourceLine, Tensor, TensorSharding
from sdykit.explain.questions.axes import name_of
from sdykit.explain.questions.index import Index
from sdykit.explain.questions.obstacles import obstacles
from sdykit.explain.questions.replicated import replicated
from sdykit.explain.sentences import obstacle_text, refusal_text
from sdykit.plurals import counted
from sdykit.viz.page import Page
from sdykit.viz.sharding_page import sharding_page

_KINDS = ("argument", "value", "result")
_ROWS = 200
"""The rows of a table; what is below them is small."""

T = TypeVar("T", bound=Hashable)


def page(explanation: Explanation) -> Page:
    """Return the page of an explanation, with all of its steps; it needs no network.

    Lines of the user's program are on it if their files can be read, from the current directory.
    """
    return sharding_page(explanation.name, _Data(explanation).all())


class _Numbers(Generic[T]):
    """Numbers values in the order in which they come; -1 is none."""

    def __init__(self) -> None:
        self.of: dict[T, int] = {}

    def __call__(self, value: T | None) -> int:
        return -1 if value is None else self.of.setdefault(value, len(self.of))

    @property
    def all(self) -> list[T]:
        return list(self.of)


class _Data:
    """What the scripts of the page read; `templates/model.js` of the page lists the fields."""

    def __init__(self, explanation: Explanation) -> None:
        self._explanation = explanation
        self._index = Index(explanation)
        self._names = _Numbers[str]()
        self._dtypes = _Numbers[str]()
        self._functions = _Numbers[str]()
        self._shardings = _Numbers[TensorSharding]()
        # Files and lines only: the scopes of JAX are not shown.
        self._sources = _Numbers[tuple[str, int]]()

    def all(self) -> dict[str, Any]:
        explanation = self._explanation
        tables = {
            "ops": [
                [self._names(op.name), op.line, self._source(op.source), int(op.is_erased)]
                for op in explanation.ops
            ],
            "tensors": [self._tensor(tensor) for tensor in explanation.tensors],
            "steps": self._steps(),
            "refusals": [self._refusal(op, each) for op, each in self._index.refusals()],
            "obstacles": self._obstacles(),
            "replicated": [list(each) for each in replicated(self._index)[:_ROWS]],
            "communication": None if explanation.costs is None else self._costs(explanation.costs),
        }
        return {
            "meshes": explanation.meshes,
            "lines": explanation.lines,
            **tables,
            "names": self._names.all,
            "dtypes": self._dtypes.all,
            "functions": self._functions.all,
            "sources": [[file, line, _code(file, line)] for file, line in self._sources.all],
            "shardings": [
                [str(each), [[dim.axes, int(dim.is_closed), dim.priority] for dim in each.dims]]
                for each in self._shardings.all
            ],
        }

    def _tensor(self, tensor: Tensor) -> list[Any]:
        return [
            tensor.name,
            tensor.op,
            _KINDS.index(tensor.kind),
            self._functions(tensor.function),
            tensor.shape,
            self._dtypes(tensor.dtype),
            tensor.bytes,
            tensor.label,
            self._source(tensor.source),
            self._shardings(tensor.final),
            0 if tensor.given is None else self._given(tensor.given),
        ]

    def _given(self, given: Given) -> list[Any]:
        op, like = (-1 if each is None else each for each in (given.op, given.like))
        return [given.by, self._shardings(given.sharding), op, self._source(given.source), like]

    def _steps(self) -> list[Any]:
        return [
            [
                step.op,
                step.user_priority,
                step.op_priority,
                step.strategy,
                [
                    [
                        each.tensor,
                        each.dimension,
                        each.after,
                        [[g.axis, g.source] for g in each.gains],
                    ]
                    for each in step.changes
                ],
            ]
            for step in self._explanation.steps
            if step.changes
        ]

    def _refusal(self, op: int, refusal: Refusal) -> list[Any]:
        given = None if refusal.by is None else self._explanation.tensors[refusal.by].given
        source = self._explanation.ops[op].source if given is None else given.source
        text = refusal_text(self._index, op, refusal)
        return [refusal.tensor, op, refusal.axis, text, self._source(source)]

    def _obstacles(self) -> list[Any]:
        return [
            [
                obstacle_text(self._index, each),
                each.refusals[0][1].tensor,
                self._source(each.source),
                each.bytes,
                [name_of(axis) for axis in each.axes],
            ]
            for each in obstacles(self._index)[:_ROWS]
        ]

    def _costs(self, costs: Costs) -> dict[str, Any]:
        by_size = sorted(costs.collectives, key=lambda each: -each.total_bytes)
        return {
            "count": len(by_size),
            "totals": [
                [axes, each.count, each.operand_bytes, each.bytes]
                for axes, each in by_axes(by_size).items()
            ],
            "assumption": ASSUMPTION if costs.is_timed else "",
            "collectives": [self._collective(each) for each in by_size[:_ROWS]],
            "uncounted": [
                [
                    uncounted_text(self._index, each),
                    -1 if each.tensor is None else each.tensor,
                    each.axes,
                    self._source(each.source),
                ]
                for each in costs.uncounted[:_ROWS]
            ],
            "compiled": None if costs.compiled is None else self._compiled(costs),
        }

    def _collective(self, each: Collective) -> list[Any]:
        reasons = {cause_text(self._index, cause): cause for cause in each.causes}
        return [
            each.kind,
            -1 if each.tensor is None else each.tensor,
            each.axes,
            self._source(each.source),
            each.total_bytes,
            each.operand_bytes,
            often_text(each),
            shardings_text(each),
            [
                [text, -1 if cause.tensor is None else cause.tensor, cause.axis]
                for text, cause in reasons.items()
            ],
            each.seconds or 0,
        ]

    def _compiled(self, costs: Costs) -> dict[str, Any]:
        found = places(self._explanation)
        equal = sum(place.is_equal for place in found)
        differences = difference_counts(self._explanation, found)
        return {
            "text": f"Equal at {equal} of {counted(len(found), 'line')} of the program.",
            "kinds": kind_rows(costs),
            "differences": [
                [self._source(source), text, count] for (source, text), count in differences.items()
            ],
        }

    def _source(self, source: SourceLine | None) -> int:
        return self._sources(None if source is None else (source.file, source.line))


def _code(file: str, line: int) -> str:
    """Return a line of a file without its indentation, empty if it cannot be read."""
    lines = _lines(file)
    return lines[line - 1].strip() if line <= len(lines) else ""


@cache
def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
