"""Shapes of HLO as types of MLIR, and back; both are text here.

Layouts are left out. `ValueError` is raised for a shape that MLIR's dialects have no type for.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sdykit.hlo.shape import Shape, tuple_shape, without_layouts

TOKEN = "!stablehlo.token"
BUNDLE = "!mhlo.async_bundle"
_TOKENS = frozenset({TOKEN, "!mhlo.token"})

_FLOATS = {
    **{name: name for name in ("bf16", "f16", "f32", "f64")},
    "f4e2m1fn": "f4E2M1FN",
    "f8e3m4": "f8E3M4",
    "f8e4m3": "f8E4M3",
    "f8e4m3b11fnuz": "f8E4M3B11FNUZ",
    "f8e4m3fn": "f8E4M3FN",
    "f8e4m3fnuz": "f8E4M3FNUZ",
    "f8e5m2": "f8E5M2",
    "f8e5m2fnuz": "f8E5M2FNUZ",
    "f8e8m0fnu": "f8E8M0FNU",
}
ELEMENTS = {
    "pred": "i1",
    **{f"s{bits}": f"i{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"u{bits}": f"ui{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **_FLOATS,
    "c64": "complex<f32>",
    "c128": "complex<f64>",
}
"""Element types of HLO, and those of MLIR."""

_OF_MLIR = {mlir: hlo for hlo, mlir in ELEMENTS.items()}
_TENSOR = re.compile(r"tensor<((?:\d+x)*)([^x].*)>")
_BRACKETS = re.compile(r"[<>,]")


@lru_cache(maxsize=4096)
def type_of(shape: str) -> str:
    """Return the type of a shape."""
    elements = Shape(shape).elements
    if elements is not None:
        return f"tuple<{', '.join([type_of(each.text) for each in elements])}>"
    bare = without_layouts(shape).replace(" ", "")
    if bare == "token[]":
        return TOKEN
    dimensions, element = Shape(bare).dimensions, Shape(bare).element_type
    if element not in ELEMENTS or not all(size.isdecimal() for size in dimensions):
        raise ValueError(f"shape {bare} has no type in MLIR")
    return f"tensor<{''.join([f'{size}x' for size in dimensions])}{ELEMENTS[element]}>"


@lru_cache(maxsize=4096)
def shape_of(type_text: str) -> str:
    """Return the shape of a type."""
    if type_text in _TOKENS:
        return "token[]"
    if type_text.startswith("tuple<"):
        return tuple_shape([shape_of(each) for each in parts(type_text)])
    tensor = _TENSOR.fullmatch(type_text)
    if tensor is None or tensor[2] not in _OF_MLIR:
        raise ValueError(f"type {type_text} has no shape in HLO")
    return f"{_OF_MLIR[tensor[2]]}[{tensor[1].rstrip('x').replace('x', ',')}]"


@lru_cache(maxsize=4096)
def parts(type_text: str) -> tuple[str, ...]:
    """Return the elements of `tuple<...>` or `!mhlo.async_bundle<...>`."""
    inner = type_text[type_text.index("<") + 1 : -1]
    found, depth, start = list[str](), 0, 0
    for bracket in _BRACKETS.finditer(inner):
        depth += {"<": 1, ">": -1, ",": 0}[bracket[0]]
        if bracket[0] == "," and depth == 0:
            found.append(inner[start : bracket.start()].strip())
            start = bracket.end()
    last = inner[start:].strip()
    return tuple([*found, last] if last else [])


def results_of(shape: str) -> list[str]:
    """Return the types of the results that a shape becomes: those of its elements, or its own."""
    elements = Shape(shape).elements
    return [type_of(shape)] if elements is None else [type_of(each.text) for each in elements]


def bundle_of(start: str) -> str:
    """Return the type of the shape of a start.

    The verifier of the dialect refuses an output that is a tuple of one array; such an output
    becomes the array, and the function that the start calls has the mark `TUPLE_OF_ONE`.
    """
    elements = [each.text for each in Shape(start).elements or ()]
    types = [type_of(each) for each in elements]
    output = results_of(elements[1])
    if len(output) == 1 and not output[0].startswith("tuple<"):
        types[1] = output[0]
    return f"{BUNDLE}<{', '.join(types)}>"
