"""The kernels that a function would run: it is lowered, and nothing runs."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from sdykit.bridge import ffi
from sdykit.bridge.kernels.specs import OF_CALLS
from sdykit.sparsecore.mosaic.spec import KIND, MosaicSpec


@dataclass(frozen=True)
class Captured:
    """What a function would run.

    Attributes:
        kernels: its kernels, in the order of its program, each once.
        warnings: texts of what was warned of meanwhile, with the user's lines.
    """

    kernels: tuple[MosaicSpec, ...]
    warnings: tuple[str, ...]


def capture_kernels(function: Callable[..., Any], arguments: Sequence[Any]) -> Captured:
    """Return the kernels of a JAX function, for the chip and mode of the settings.

    Args:
        function: what `jax.jit` takes; a kernel is one, too.
        arguments: arrays, or what has a shape and a dtype.
    """
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        module: Any = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
    specs = dict.fromkeys(_specs(module.operation))
    texts = dict.fromkeys(f"{each.filename}:{each.lineno}: {each.message}" for each in found)
    return Captured(tuple(specs), tuple(texts))


def _specs(op: Any) -> Iterator[MosaicSpec]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                if inner.operation.name == "stablehlo.custom_call":
                    yield from _of_call(inner.operation.attributes)
                yield from _specs(inner.operation)


def _of_call(attributes: Any) -> Iterator[MosaicSpec]:
    if attributes["call_target_name"].value != ffi.TARGET:
        return
    fields = json.loads(attributes["mhlo.backend_config"]["spec"].value)
    if fields.get("kind") == KIND:
        own = {name: value for name, value in fields.items() if name not in OF_CALLS}
        yield MosaicSpec.from_fields(own)
