"""The module of a tile program, and the entry function in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sdykit.core.sparsecore.names import (
    ALIGNED,
    ENTRY,
    LAUNCH,
    LIMITS_OF_PARTITIONS,
    MESSAGES,
    NAME,
    OFFSETS,
    PLACE,
    QUANTIZE,
    SERIAL_BYTES,
    SIZES,
    STATUS,
    TILE_MEMORY,
    WORK,
    WORKSPACE,
)
from sdykit.mlir import ir
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.tile.arguments import TileArgument
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks import buffers, ids, index
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec

Body = Callable[[Builder, Mapping[str, ir.Value]], None]


def make_module(
    context: ir.Context,
    name: str,
    arguments: tuple[TileArgument, ...],
    spec: TileSpec,
    body: Body,
    *,
    serial_bytes: int | None = None,
    sizes: Mapping[str, int] | None = None,
) -> ir.Module:
    """Make a program of one entry function.

    Args:
        context: the MLIR context of the module.
        name: the name of the function.
        arguments: the arguments, in order.
        spec: the spec of the program.
        body: adds the phases; called with the builder, and the arguments by name.
        serial_bytes: the memory traffic up to which a single thread runs the program; None: the
            default of code generation.
        sizes: the values of the names in sizes of buffers; see `sdykit.core.sparsecore.sizes`.
    """
    with context, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            func = ir.Operation.create(
                "func.func",
                attributes=_attributes(name, arguments, spec, serial_bytes, sizes or {}),
                regions=1,
            )
        names = [each.name for each in arguments]
        types = [ir.Type.parse(each.type) for each in arguments]
        locations = [ir.Location.name(name) for name in names]
        block = ir.Block.create_at_start(func.regions[0], types, locations)
        builder = Builder(context, block)
        with ir.InsertionPoint(block):
            body(builder, dict(zip(names, block.arguments, strict=True)))
            builder.op("func.return", [])
        return module


def _attributes(
    name: str,
    arguments: Sequence[TileArgument],
    spec: TileSpec,
    serial_bytes: int | None,
    sizes: Mapping[str, int],
) -> dict[str, ir.Attribute]:
    """Return the attributes of the entry function."""
    types = ", ".join(each.type for each in arguments)
    is_shared = spec.transport == "memory"
    marks = ", ".join(f"{{{_mark(each, is_shared=is_shared)}}}" for each in arguments)
    texts = {
        "sym_name": json.dumps(name),
        "function_type": f"({types}) -> ()",
        "arg_attrs": f"[{marks}]",
        ENTRY: "unit",
        TILE_MEMORY: f"{spec.hardware.tile_memory_bytes} : i64",
    }
    words = ", ".join(json.dumps(text) for text in ("ok", *_messages_of(spec)))
    texts[MESSAGES] = f"[{words}]"
    if sizes:
        values = ", ".join(f"{key} = {value} : i64" for key, value in sizes.items())
        texts[SIZES] = f"{{{values}}}"
    limits = _limits_of_partitions(spec)
    if limits:
        texts[LIMITS_OF_PARTITIONS] = f"{{{limits}}}"
    if serial_bytes is not None:
        texts[SERIAL_BYTES] = f"{serial_bytes} : i64"
    return {key: ir.Attribute.parse(text) for key, text in texts.items()}


def _limits_of_partitions(spec: TileSpec) -> str:
    """Return the limits that differ from partition to partition, by the name of their largest."""
    names = ("max_ids_per_partition", "max_unique_ids_per_partition")
    found = zip(names, spec.limits_of_partitions, strict=True)
    return ", ".join(
        f"{name} = array<i64: {', '.join(map(str, each))}>" for name, each in found if each
    )


def _messages_of(spec: TileSpec) -> tuple[str, ...]:
    """Return the messages about the input of a program, from number 1 on."""
    if spec.layout == "ids":
        return ids.MESSAGES
    if isinstance(spec, LookupSpec) and spec.has_index:
        return index.MESSAGES
    return buffers.MESSAGES_OF_ALL if spec.transport == "memory" else buffers.MESSAGES


_MARKS = {"status": STATUS, "launch": LAUNCH, "place": PLACE, "offsets": OFFSETS}
"""The attribute of an argument that the caller provides, or reads itself, by its role."""


def _mark(argument: TileArgument, *, is_shared: bool) -> str:
    """Return the attributes of an argument, as text."""
    marks = [f'{NAME} = "{argument.name}"']
    if argument.role in _MARKS:
        marks.append(_MARKS[argument.role])
    if argument.role == "workspace" and is_shared:
        marks.append(WORKSPACE)
    if argument.work:
        marks.append(f"{WORK} = {argument.work} : i64")
    if argument.is_aligned:
        marks.append(ALIGNED)
    if argument.quantization is not None:
        marks.append(f"{QUANTIZE} = {_quantize(argument.quantization)}")
    return ", ".join(marks)


def _quantize(quantization: Quantization) -> str:
    low, high = (
        f"0x{int(np.float32(value).view(np.uint32)):08X} : f32"
        for value in (quantization.low, quantization.high)
    )
    return f"{{buckets = {quantization.num_buckets} : i64, high = {high}, low = {low}}}"
