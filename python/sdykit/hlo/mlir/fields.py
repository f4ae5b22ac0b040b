"""Attributes of HLO instructions as attributes of MLIR ops, and back; both are text here.

A field converts one or more attributes of an instruction. Its `encode` takes the attributes of
an instruction and returns those of the op; its `decode` does the reverse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Texts = Mapping[str, str]

_INTEGER = re.compile(r"-?\d+")
_ENUM = re.compile(r"#(?:stablehlo|mhlo)[<.]\w+[ <](\w+)>+")
_SLICE = re.compile(r"\[\s*(\d+)\s*:\s*(\d+)\s*(?::\s*(\d+)\s*)?\]")
_PADDING = re.compile(r"(-?\d+)_(-?\d+)(?:_(-?\d+))?")
_LIST = re.compile(r"\{([\d,\s]*)\}")
_SHAPED = re.compile(r"(\d+)x")
_SEPARATORS = re.compile(r"[\s,{}]+")


@dataclass(frozen=True)
class Field:
    """Attributes that are converted together."""

    hlo_names: tuple[str, ...]
    """The names of the attributes of the instruction."""
    mlir_names: tuple[str, ...]
    """The names of the attributes of the op."""
    encode: Callable[[Texts], Texts]
    decode: Callable[[Texts], Texts]


def single(
    name: str,
    mlir_names: tuple[str, ...],
    encode: Callable[[str], Texts],
    decode: Callable[[Texts], str | None],
) -> Field:
    """Return a field for one attribute of HLO, which may be missing."""

    def encoded(attributes: Texts) -> Texts:
        if name not in attributes:
            return {}
        try:
            return encode(attributes[name])
        except ValueError as error:
            raise ValueError(f"attribute {name}: {error}") from error

    def decoded(attributes: Texts) -> Texts:
        text = decode(attributes) if mlir_names[0] in attributes else None
        return {} if text is None else {name: text}

    return Field((name,), mlir_names, encoded, decoded)


def integers(text: str) -> list[int]:
    """Return the integers of `array<i64: 1, 2>`, `[1, 2]` or `dense<[1, 2]> : tensor<2xi64>`."""
    if text.startswith("array<"):
        return [int(each) for each in _INTEGER.findall(text.partition(":")[2])]
    body, _, kind = text.partition("> : ")
    found = [int(each) for each in _INTEGER.findall(body)]
    if "[" in body or not found:
        return found
    count = 1
    for size in _SHAPED.findall(kind):
        count *= int(size)
    return found * count


def array(values: list[int]) -> str:
    """Return `array<i64: 1, 2>`."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def braced(values: list[int]) -> str:
    """Return `{1,2}`."""
    return f"{{{','.join(map(str, values))}}}"


def unbraced(text: str) -> list[int]:
    """Return the integers of `{1,2}`."""
    if not _LIST.fullmatch(text):
        raise ValueError(f"expected numbers in braces, found {text}")
    return [int(each) for each in _INTEGER.findall(text)]


def sizes(name: str, mlir_name: str) -> Field:
    """Return a field for `dimensions={1,2}`, an array in MLIR."""
    return single(
        name,
        (mlir_name,),
        lambda text: {mlir_name: array(unbraced(text))},
        lambda found: braced(integers(found[mlir_name])),
    )


def one_size(name: str, mlir_name: str) -> Field:
    """Return a field for `dimensions={1}`, an integer in MLIR."""

    def encode(text: str) -> Texts:
        values = unbraced(text)
        if len(values) != 1:
            raise ValueError(f"expected one number in braces, found {text}")
        return {mlir_name: f"{values[0]} : i64"}

    return single(name, (mlir_name,), encode, lambda found: f"{{{_first(found[mlir_name])}}}")


def integer(name: str, mlir_name: str, kind: str) -> Field:
    """Return a field for `iota_dimension=1`, an integer in MLIR."""

    def encode(text: str) -> Texts:
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"expected an integer, found {text}")
        return {mlir_name: f"{text} : {kind}"}

    return single(name, (mlir_name,), encode, lambda found: _first(found[mlir_name]))


def boolean(name: str, mlir_name: str) -> Field:
    """Return a field for `is_stable=true`, which HLO leaves out if it is false."""

    def encode(text: str) -> Texts:
        if text not in ("true", "false"):
            raise ValueError(f"expected true or false, found {text}")
        return {mlir_name: text}

    return single(
        name, (mlir_name,), encode, lambda found: "true" if found[mlir_name] == "true" else None
    )


def enum(name: str, mlir_name: str, kind: str) -> Field:
    """Return a field for `direction=LT`, `#stablehlo<comparison_direction LT>` in MLIR."""
    return single(
        name,
        (mlir_name,),
        lambda text: {mlir_name: f"#stablehlo<{kind} {text}>"},
        lambda found: _enums(found[mlir_name])[0],
    )


def precision() -> Field:
    """Return a field for `operand_precision={highest,default}`, left out if all are `default`."""
    mlir_name = "precision_config"

    def encode(text: str) -> Texts:
        words = [word.upper() for word in _SEPARATORS.split(text) if word]
        return {mlir_name: f"[{', '.join([f'#stablehlo<precision {word}>' for word in words])}]"}

    def decode(found: Texts) -> str | None:
        words = [word.lower() for word in _enums(found[mlir_name])]
        return f"{{{','.join(words)}}}" if set(words) - {"default"} else None

    return single("operand_precision", (mlir_name,), encode, decode)


def contraction() -> Field:
    """Return a field for the dimensions of `dot`: four lists, each of which may be missing."""
    sides = ("lhs_batch", "lhs_contracting", "rhs_batch", "rhs_contracting")
    keys = [side.replace("batch", "batching") + "_dimensions" for side in sides]
    names = tuple([f"{side}_dims" for side in sides])
    mlir_name = "dot_dimension_numbers"

    def encode(found: Texts) -> Texts:
        lists = {
            key: unbraced(found[name])
            for key, name in zip(keys, names, strict=True)
            if name in found
        }
        order = sorted(lists, key=lambda key: ("contracting" in key, key))
        return {
            mlir_name: f"#stablehlo.dot<{', '.join([f'{key} = {lists[key]}' for key in order])}>"
        }

    def decode(found: Texts) -> Texts:
        lists = {
            name: re.search(rf"{key} = \[([\d, ]*)\]", found.get(mlir_name, ""))
            for key, name in zip(keys, names, strict=True)
        }
        return {
            name: braced(integers(f"[{each[1]}]"))
            for name, each in lists.items()
            if each is not None
        }

    return Field(names, (mlir_name,), encode, decode)


def slices() -> Field:
    """Return a field for `slice={[0:4:2], [1:3:1]}`: starts, limits and strides in MLIR."""
    mlir_names = ("start_indices", "limit_indices", "strides")

    def encode(text: str) -> Texts:
        if not re.fullmatch(r"\{[\s,]*\}", _SLICE.sub("", text)):
            raise ValueError(f"expected slices such as {{[0:4:2]}}, found {text}")
        return _columns(
            mlir_names, [(int(a), int(b), int(c or 1)) for a, b, c in _SLICE.findall(text)]
        )

    def decode(found: Texts) -> str | None:
        rows = list(zip(*[integers(found[mlir_name]) for mlir_name in mlir_names], strict=True))
        strided = any(stride != 1 for _, _, stride in rows)
        texts = [f"[{a}:{b}:{c}]" if strided else f"[{a}:{b}]" for a, b, c in rows]
        return f"{{{', '.join(texts)}}}"

    return single("slice", mlir_names, encode, decode)


def padding() -> Field:
    """Return a field for `padding=1_2x0_0_1`: low, high and interior padding in MLIR."""
    mlir_names = ("edge_padding_low", "edge_padding_high", "interior_padding")

    def encode(text: str) -> Texts:
        rows = [_PADDING.fullmatch(each) for each in text.split("x")] if text else []
        found = [(int(row[1]), int(row[2]), int(row[3] or 0)) for row in rows if row is not None]
        if len(found) != len(rows):
            raise ValueError(f"expected padding such as 1_2x0_0_1, found {text}")
        return _columns(mlir_names, found)

    def decode(found: Texts) -> str | None:
        rows = list(zip(*[integers(found[mlir_name]) for mlir_name in mlir_names], strict=True))
        inner = any(each for _, _, each in rows)
        return "x".join([f"{a}_{b}_{c}" if inner else f"{a}_{b}" for a, b, c in rows])

    return single("padding", mlir_names, encode, decode)


def _columns(mlir_names: tuple[str, ...], rows: list[tuple[int, int, int]]) -> Texts:
    return {mlir_name: array([row[at] for row in rows]) for at, mlir_name in enumerate(mlir_names)}


def _first(text: str) -> str:
    found = _INTEGER.match(text)
    if found is None:
        raise ValueError(f"expected an integer, found {text}")
    return found[0]


def _enums(text: str) -> list[str]:
    found = _ENUM.findall(text)
    if not found and text != "[]":
        raise ValueError(f"expected an enum of stablehlo or mhlo, found {text}")
    return found
