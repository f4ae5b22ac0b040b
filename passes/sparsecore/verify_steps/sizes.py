"""The sizes of allocations: those of their types, and those that follow from the limits."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.core import fail, ops_named
from sdykit.core.sparsecore.names import SIZE
from sdykit.core.sparsecore.sizes import SizeError, evaluate
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.arguments import name_of
from sdykit.passes.sparsecore._programs.entry import sizes_of


def check_sizes(entry: ir.Operation) -> None:
    """Check that the shapes of allocations are what `sparsecore.size` says.

    Raises:
        PassFailure: one is not, or an expression is wrong.
    """
    sizes = sizes_of(entry)
    for alloc in ops_named(entry, "memref.alloc"):
        if SIZE in alloc.attributes:
            _check_size(alloc, name_of(entry, alloc.results[0]), sizes)


def _check_size(alloc: ir.Operation, name: str, sizes: Mapping[str, int]) -> None:
    type_, found = ir.MemRefType(alloc.results[0].type), alloc.attributes[SIZE]
    marks = list(found) if isinstance(found, ir.ArrayAttr) else [found]
    texts = [each.value for each in marks if isinstance(each, ir.StringAttr)]
    if not isinstance(found, ir.ArrayAttr) or len(texts) < len(marks):
        fail(alloc, f"allocates {name} with '{SIZE}' = {found}; expected an array of expressions")
    try:
        shape = [evaluate(text, sizes) for text in texts]
    except SizeError as error:
        fail(alloc, f"allocates {name}: {error}")
    if shape != list(type_.shape):
        said = ", ".join(f"{text} = {size}" for text, size in zip(texts, shape, strict=True))
        fail(alloc, f"allocates {name} of type '{type_}'; expected the sizes {said}")
