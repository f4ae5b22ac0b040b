"""Progress: a bar on a terminal, lines in a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar

from examples.click_model.training import Progress

UPDATES = 40
"""How often loss and AUC are computed for the bar."""
LINES = 4
"""How often they are logged without a terminal."""


@contextmanager
def watching(console: Console, name: str, steps: int) -> Iterator[Callable[[Progress], None]]:
    """Yield a function to call after each step, which shows some of the progress on `console`."""
    if not console.is_terminal:
        yield lambda progress: _log(console, name, steps, progress)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[scores]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=steps, scores="compiling")

        def advance(progress: Progress) -> None:
            bar.update(task, completed=progress.steps)
            if _is_due(progress.steps, steps, UPDATES):
                bar.update(task, scores=_scores(progress))

        yield advance


def _log(console: Console, name: str, steps: int, progress: Progress) -> None:
    if _is_due(progress.steps, steps, LINES):
        console.print(f"{name}: step {progress.steps} of {steps}, {_scores(progress)}")


def _is_due(step: int, steps: int, times: int) -> bool:
    """Return whether a step is one of about `times` evenly spaced steps, or the last."""
    return step * times // steps > (step - 1) * times // steps


def _scores(progress: Progress) -> str:
    loss, auc = progress.scores()
    return f"loss {loss:.4f}, AUC {auc:.4f}, {progress.steps_per_second:.1f} steps/s"
