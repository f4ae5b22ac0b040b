"""The dialects under test: our classes, jaxlib's classes, and a sample of each operation."""

from __future__ import annotations

import importlib.util
import inspect
import mmap
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from jaxlib.mlir.dialects import mpmd as jaxlib_mpmd
from jaxlib.mlir.dialects import sdy as jaxlib_sdy

from sdykit.dialects import mpmd, sdy
from sdykit.dialects.base import View
from sdykit.dialects.mpmd import enums_gen as mpmd_enums
from sdykit.dialects.mpmd import ops_gen as mpmd_ops
from sdykit.dialects.sdy import enums_gen as sdy_enums
from sdykit.dialects.sdy import ops_gen as sdy_ops
from sdykit.mlir import ir
from support import ROOT
from support.dialects import mpmd_samples, sdy_samples

_REFERENCES = ROOT / "docs/reference"


@dataclass(frozen=True)
class Dialect:
    """A dialect as generated from ODS, and as jaxlib registers it."""

    name: str
    ours: ModuleType
    """Our package, with all its classes."""
    ops: ModuleType
    enums: ModuleType
    theirs: ModuleType
    """jaxlib's module, with its op and enum classes."""
    samples: Mapping[str, str]
    """A sample for each operation, by its name without that of the dialect."""
    module_text: Callable[[str], str]
    """Makes a module around the sample of an operation."""

    @cached_property
    def our_classes(self) -> dict[str, type[ir.OpView]]:
        """Our op classes, by the name of their operation."""
        return op_classes(self.ops)

    @cached_property
    def their_classes(self) -> dict[str, type[ir.OpView]]:
        """The op classes of jaxlib, by the name of their operation."""
        return op_classes(self.theirs)

    @cached_property
    def views(self) -> list[type[View]]:
        """Our views of attributes and types."""
        return [
            each
            for each in vars(self.ours).values()
            if inspect.isclass(each) and issubclass(each, View)
        ]

    @cached_property
    def names_in_library(self) -> set[str]:
        """Every `name` for which jaxlib's library holds the string `dialect.name`."""
        spec = importlib.util.find_spec("jaxlib")
        assert spec is not None
        assert spec.origin is not None
        library = Path(spec.origin).parent / "libjax_common.so"
        pattern = rf"\0{self.name}\.([a-z_]+)(?=\0)".encode()
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
            return {match[1].decode() for match in re.finditer(pattern, data)}

    @cached_property
    def reference(self) -> str:
        """The text of the reference."""
        return (_REFERENCES / f"{self.name}_dialect.md").read_text(encoding="utf-8")

    def sections(self, prefix: str) -> dict[str, str]:
        """Return the sections of the reference whose title is a name with this prefix."""
        pattern = rf"^### `{prefix}{self.name}\.(\w+)` .*?\n(.*?)(?=^###? |\Z)"
        found = re.finditer(pattern, self.reference, re.DOTALL | re.MULTILINE)
        return {match[1]: match[2] for match in found}


def op_classes(module: ModuleType) -> dict[str, type[ir.OpView]]:
    """Return the op classes in a module by the name of their operation."""
    classes: list[Any] = [
        c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, ir.OpView)
    ]
    return {c.OPERATION_NAME: c for c in classes if hasattr(c, "OPERATION_NAME")}


SDY = Dialect(
    "sdy",
    sdy,
    sdy_ops,
    sdy_enums,
    jaxlib_sdy,
    sdy_samples.SAMPLES,
    sdy_samples.module_text,
)
MPMD = Dialect(
    "mpmd",
    mpmd,
    mpmd_ops,
    mpmd_enums,
    jaxlib_mpmd,
    mpmd_samples.SAMPLES,
    mpmd_samples.module_text,
)
DIALECTS = {dialect.name: dialect for dialect in (SDY, MPMD)}
OPERATIONS = tuple(
    f"{dialect.name}.{name}" for dialect in DIALECTS.values() for name in dialect.samples
)
"""The names of all operations."""


def dialect_of(name: str) -> Dialect:
    """Return the dialect of an operation."""
    return DIALECTS[name.partition(".")[0]]


def our_class(name: str) -> Any:
    """Return our class of an operation."""
    return dialect_of(name).our_classes[name]


def sample(name: str, context: ir.Context) -> tuple[ir.Module, ir.Operation]:
    """Return a module and, in it, the operation."""
    module = ir.Module.parse(dialect_of(name).module_text(name.partition(".")[2]), context)
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return module, found[-1]
