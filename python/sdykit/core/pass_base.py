"""The base classes of passes, which are frozen dataclasses whose fields are their options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from sdykit.mlir import FuncOp, ModuleOp, ir


@dataclass(frozen=True)
class Pass:
    """Base of all passes. Derive from `ModulePass` or `FunctionPass`.

    The first line of the docstring is the one-line description in `--help`, the rest
    the documentation. A field is an option: `min_size: int = 0` is set by
    `min-size=4`; the string below a field documents it.
    """

    name: ClassVar[str]
    """The flag and pipeline name, such as `sdy-lift-inlined-meshes`."""

    anchor: ClassVar[str]
    """The name of the ops that the pass runs on."""

    def run_on(self, op: ir.Operation) -> None:
        """Run on an anchor op."""
        raise NotImplementedError


@dataclass(frozen=True)
class ModulePass(Pass):
    """A pass over a whole `builtin.module`."""

    anchor: ClassVar[str] = "builtin.module"

    def run(self, module: ModuleOp) -> None:
        """Transform `module` in place; on an error, call `sdykit.core.fail`."""
        raise NotImplementedError

    def run_on(self, op: ir.Operation) -> None:
        """Run on a module op."""
        self.run(cast(ModuleOp, op.opview))


@dataclass(frozen=True)
class FunctionPass(Pass):
    """A pass over one `func.func`, which reads and changes nothing outside of it."""

    anchor: ClassVar[str] = "func.func"

    def run(self, func: FuncOp) -> None:
        """Transform `func` in place; on an error, call `sdykit.core.fail`."""
        raise NotImplementedError

    def run_on(self, op: ir.Operation) -> None:
        """Run on a function op."""
        self.run(cast(FuncOp, op.opview))


@dataclass(frozen=True)
class Pipeline:
    """A named sequence of passes; its fields are its options."""

    name: ClassVar[str]

    def passes(self) -> Sequence[str]:
        """Return the elements of the pipeline, each as pipeline text (`cse`, `x{a=1}`)."""
        raise NotImplementedError
