"""A bottleneck that was looked for: its figure, the threshold, and the advice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A bottleneck that was looked for in a run.

    Attributes:
        kind: which one, such as `host-bound input`.
        figure: how bad it is; None: the run does not say.
        unit: what the figure counts: `%` of something, or a noun.
        threshold: the figure from which on it is a bottleneck.
        why: why that is the threshold.
        shown: what was seen, in a sentence; if the figure is None, why it is unknown.
        advice: what to do.
        setting: the setting to change; "": there is none.
        subjects: the stacks or tables that it is about; empty: all.
    """

    kind: str
    figure: float | None
    unit: str
    threshold: float
    why: str
    shown: str
    advice: str
    setting: str = ""
    subjects: tuple[str, ...] = ()

    @property
    def is_found(self) -> bool:
        """Whether the run has this bottleneck."""
        return self.figure is not None and self.figure >= self.threshold

    def amount(self, value: float | None) -> str:
        """Return a number in the unit of the figure."""
        if value is None:
            return "unknown"
        if self.unit == "%":
            return f"{100 * value:.3g} %"
        number = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
        return f"{number} {self.unit}".rstrip()

    def __str__(self) -> str:
        """Return it in a few lines: what was seen, the threshold, the advice."""
        lines = [f"{self.kind}: {self.amount(self.figure)}. {self.shown}"]
        lines.append(f"  threshold {self.amount(self.threshold)}: {self.why}")
        if self.is_found:
            setting = f" [{self.setting}]" if self.setting else ""
            lines.append(f"  advice: {self.advice}{setting}")
        return "\n".join(lines)
