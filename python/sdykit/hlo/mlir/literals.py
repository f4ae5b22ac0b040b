"""Literals of HLO constants as `dense<...>` attributes of MLIR, and back."""

from __future__ import annotations

import re
from math import prod

from sdykit.hlo.mlir import floats
from sdykit.hlo.mlir.types import ELEMENTS
from sdykit.hlo.shape import Shape

_NUMBER = r"[-+]?(?:inf|nan(?:\(0x[0-9a-fA-F]+\))?|[\d.]+(?:[eE][-+]?\d+)?)"
_TOKEN = re.compile(rf"true|false|\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)|{_NUMBER}")
_PART = re.compile(_NUMBER)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DENSE = re.compile(r"dense<(.*)> : tensor<.*>", re.DOTALL)
_ELEMENT = re.compile(r"\([^()]*\)|[^\[\](),\s]+")
_TRUTH = {"true": "true", "false": "false", "1": "true", "0": "false"}


def dense_of(literal: str, shape: str) -> str:
    """Return the body of `dense<...>` for the literal of a constant.

    Raises:
        ValueError: the literal is elided, does not fit the shape, or is not understood.
    """
    element, sizes = _array(shape)
    text = _COMMENT.sub("", literal)
    if "..." in text:
        raise ValueError("the literal is elided; print the program with its large constants")
    tokens = _TOKEN.findall(text)
    skeleton = re.sub(r"[\s,]", "", _TOKEN.sub("", text))
    count = prod(sizes)
    if len(tokens) != count or (count and skeleton != _skeleton(sizes)):
        raise ValueError(f"the literal does not fit {shape}")
    if not count:
        return ""
    return _nested([_to_mlir(token, element) for token in tokens], sizes, "[{}]")


def literal_of(dense: str, shape: str) -> str:
    """Return the literal of a constant in XLA's form, for the text of a `dense<...>`."""
    element, sizes = _array(shape)
    found = _DENSE.fullmatch(dense)
    if found is None:
        raise ValueError(f"expected a literal dense<...>, found {dense[:40]}")
    count = prod(sizes)
    if found[1].startswith('"0x'):
        tokens = _raw(bytes.fromhex(found[1][3:-1]), element)
    else:
        tokens = _ELEMENT.findall(found[1])
    tokens = tokens * count if len(tokens) == 1 else tokens
    values = [_to_hlo(token, element) for token in tokens]
    if element == "pred" and sizes:
        values = ["1" if value == "true" else "0" for value in values]
    if not count:
        return _empty(sizes)
    return _nested(values, sizes, "{}")


def _array(shape: str) -> tuple[str, list[int]]:
    array = Shape(shape)
    if array.elements is not None or array.element_type not in ELEMENTS:
        raise ValueError(f"a constant of shape {shape} has no form in MLIR")
    return array.element_type or "", [int(size) for size in array.dimensions]


def _skeleton(sizes: list[int]) -> str:
    text = ""
    for size in reversed(sizes):
        text = f"{{{text * size}}}"
    return text


def _nested(values: list[str], sizes: list[int], style: str) -> str:
    """Return values nested row by row: in brackets as in MLIR, or in braces as in XLA."""
    for level, size in enumerate(reversed(sizes)):
        rows = [", ".join(values[at : at + size]) for at in range(0, len(values), size)]
        if style == "[{}]":
            values = [f"[{row}]" for row in rows]
        elif level == 0 and (len(sizes) == 1 or size == 1):
            values = [f"{{{row}}}" for row in rows]
        else:
            values = [f"{{ {row} }}" for row in rows]
    return values[0]


def _empty(sizes: list[int]) -> str:
    if len(sizes) == 1:
        return "{}"
    if sizes[0] == 0:
        return "{  }"
    return f"{{ {', '.join([_empty(sizes[1:])] * sizes[0])} }}"


def _to_mlir(token: str, element: str) -> str:
    if element == "pred":
        if token not in _TRUTH:
            raise ValueError(f"expected true, false, 1 or 0 in a literal of pred, found {token}")
        return _TRUTH[token]
    if element in floats.COMPLEX:
        numbers = _PART.findall(token)
        numbers = [*numbers, "0"] if len(numbers) == 1 else numbers
        part = floats.COMPLEX[element]
        return f"({', '.join([floats.to_mlir(number, part) for number in numbers])})"
    if token.startswith("(") or token in ("true", "false"):
        raise ValueError(f"expected a number in a literal of {element}, found {token}")
    if element in floats.FORMATS:
        return floats.to_mlir(token, element)
    return str(int(token))


def _to_hlo(token: str, element: str) -> str:
    if element in floats.COMPLEX:
        first, second = token.strip("()").split(",")
        part = floats.COMPLEX[element]
        return f"({floats.to_hlo(first.strip(), part)}, {floats.to_hlo(second.strip(), part)})"
    return floats.to_hlo(token, element) if element in floats.FORMATS else token


def _raw(data: bytes, element: str) -> list[str]:
    """Return the elements of a literal that MLIR prints as one number in hexadecimal."""
    part = floats.COMPLEX.get(element, element)
    if part in floats.FORMATS:
        size = floats.FORMATS[part].bytes
        numbers = [data[at : at + size] for at in range(0, len(data), size)]
        tokens = [f"0x{int.from_bytes(number, 'little'):0{2 * size}X}" for number in numbers]
        if element == part:
            return tokens
        return [f"({tokens[at]},{tokens[at + 1]})" for at in range(0, len(tokens), 2)]
    if element == "pred":
        return ["true" if byte else "false" for byte in data]
    bits = int(element[1:])
    size, signed = max(1, bits // 8), element[0] == "s"
    values = [
        int.from_bytes(data[at : at + size], "little") & ((1 << bits) - 1)
        for at in range(0, len(data), size)
    ]
    limit = 1 << (bits - 1)
    return [str(value - 2 * limit if signed and value >= limit else value) for value in values]
