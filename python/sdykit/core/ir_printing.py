"""Printing the IR before and after passes, in the form of `mlir-opt`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from sdykit.core.plan import Step
from sdykit.core.run import Instrumentation
from sdykit.errors import SdykitError
from sdykit.mlir import ir

Printer: TypeAlias = Callable[[ir.Operation, bool], str]
"""Returns an op as text; the second argument: whether it is printed without its module."""


def print_op(op: ir.Operation, alone: bool) -> str:
    """Return an op as text, as `mlir-opt` prints it between passes."""
    return str(op.get_asm(use_local_scope=alone))


class DumpError(SdykitError):
    """The IR between passes cannot be written."""


@dataclass
class IRPrinting(Instrumentation):
    """Prints the IR to stderr, or to a tree of files, before and after passes."""

    before_passes: frozenset[str] = frozenset()
    """Print before the passes of these names."""
    after_passes: frozenset[str] = frozenset()
    """Print after the passes of these names."""
    before_all: bool = False
    after_all: bool = False
    after_change: bool = False
    """Print after passes only if they changed the text of the IR."""
    after_failure: bool = False
    """Print after passes only if they failed."""
    module_scope: bool = False
    """Print the whole module also around passes over single functions."""
    tree_dir: Path | None = None
    """Write files `<op>_<symbol>/.../<count>_<pass>.mlir` here instead of to stderr."""
    printer: Printer = print_op
    _text_before: list[str] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def before(self, step: Step, op: ir.Operation) -> None:
        """Print the IR if it is to be, and keep its text to see whether it changes."""
        if step.nested is not None:
            return
        if self.before_all or step.name in self.before_passes:
            self._dump(f"Before {_title(step)}", step, op)
        if self.after_change and self._is_watched(step):
            self._text_before.append(self._text(op))

    def after(self, step: Step, op: ir.Operation, failed: bool) -> None:
        """Print the IR if it is to be."""
        if step.nested is not None or not self._is_watched(step):
            return
        before = self._text_before.pop() if self.after_change else None
        if failed:
            self._dump(f"After {_title(step, 'Failed ')}", step, op)
        elif not self.after_failure and self._text(op) != before:
            self._dump(f"After {_title(step)}", step, op)

    def _is_watched(self, step: Step) -> bool:
        """Return whether IR may be printed after a pass; a filter alone applies to all passes."""
        lone = (self.after_change or self.after_failure) and not self.after_passes
        return self.after_all or lone or step.name in self.after_passes

    def _text(self, op: ir.Operation) -> str:
        if self.module_scope:
            return self.printer(_top(op), False)
        return self.printer(op, _parent(op) is not None)

    def _dump(self, title: str, step: Step, op: ir.Operation) -> None:
        if self.module_scope:
            symbol = _symbol(op)
            title += f" ('{op.name}' operation{f': {symbol}' if symbol else ''})"
        text = f"// -----// IR Dump {title} //----- //\n{self._text(op)}\n\n"
        if self.tree_dir is None:
            sys.stderr.write(text)
            return
        path = self._path(self.tree_dir, step, op)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        except OSError as error:
            raise DumpError(f"cannot write '{path}': {error.strerror}") from None

    def _path(self, root: Path, step: Step, op: ir.Operation) -> Path:
        """Return a free path: each directory counts the files that are written below it."""
        names: list[str] = []
        at: ir.Operation | None = op
        while at is not None:
            symbol = _symbol(at).removeprefix("@") or "no-symbol-name"
            names.insert(0, re.sub(r"[^\w-]", "_", f"{at.name}_{symbol}"))
            at = _parent(at)
        keys = ["/".join(names[: i + 1]) for i in range(len(names))]
        self._counts[keys[-1]] = self._counts.get(keys[-1], -1) + 1
        counts = [str(self._counts.setdefault(key, 0)) for key in keys]
        return root.joinpath(*names, f"{'_'.join(counts)}_{step.name}.mlir")


def _title(step: Step, state: str = "") -> str:
    if step.run is not None:
        name = type(step.run).__name__
    else:
        name = step.upstream.class_name if step.upstream else step.name
    return f"{name} {state}({step.name})"


def _parent(op: ir.Operation) -> ir.Operation | None:
    # The parent of an op that was parsed alone raises instead of being None.
    return op.parent.operation if op.attached and op.parent is not None else None


def _top(op: ir.Operation) -> ir.Operation:
    while (parent := _parent(op)) is not None:
        op = parent
    return op


def _symbol(op: ir.Operation) -> str:
    """Return the name of a symbol op as MLIR prints it, or an empty text for another op."""
    if "sym_name" not in op.attributes:
        return ""
    name = op.attributes["sym_name"]
    if not isinstance(name, ir.StringAttr):
        return ""
    return str(ir.FlatSymbolRefAttr.get(name.value, op.context))
