"""Random ops on scalars and vectors."""

from __future__ import annotations

from collections.abc import Callable

from support.mosaic.random_kernels.writer import Writer

Statement = Callable[[Writer], None]

_INTEGERS = [
    *("addi", "subi", "muli", "andi", "ori", "xori", "divsi", "divui", "remsi", "remui"),
    *("shli", "shrui", "shrsi", "maxsi", "minsi", "maxui", "minui"),
]
_FLOATS = ["addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf"]
_COMPARED = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
_ORDERED = ["oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "uno"]


def _binary(w: Writer) -> None:
    type_ = w.rng.choice([w.integers, w.floats, w.halves, w.shorts, "i32", "f32"])
    is_float = "f" in type_.rpartition("x")[2]
    name = w.rng.choice(_FLOATS if is_float else _INTEGERS)
    w.set(f"arith.{name} {w.pick(type_)}, {w.pick(type_)} : {type_}", type_)


def _unary(w: Writer) -> None:
    name, type_ = w.rng.choice(
        [
            ("arith.negf", w.floats),
            ("math.absf", w.floats),
            ("math.exp", w.floats),
            ("math.exp", w.halves),
            ("math.absi", w.integers),
            ("math.ctpop", w.integers),
            ("math.absi", "i32"),
        ]
    )
    w.set(f"{name} {w.pick(type_)} : {type_}", type_)


def _compare(w: Writer) -> None:
    type_, result = w.rng.choice(
        [(w.integers, w.mask), (w.floats, w.mask), ("i32", "i1"), ("f32", "i1")]
    )
    is_float = "f" in type_.rpartition("x")[2]
    name, predicates = ("cmpf", _ORDERED) if is_float else ("cmpi", _COMPARED)
    predicate = w.rng.choice(predicates)
    w.set(f"arith.{name} {predicate}, {w.pick(type_)}, {w.pick(type_)} : {type_}", result)


def _masks(w: Writer) -> None:
    type_ = w.rng.choice([w.mask, "i1"])
    name = w.rng.choice(["andi", "ori", "xori"])
    w.set(f"arith.{name} {w.pick(type_)}, {w.pick(type_)} : {type_}", type_)


def _select(w: Writer) -> None:
    type_ = w.rng.choice([w.integers, w.floats, w.mask])
    if w.rng.random() < 0.3:
        w.set(f"arith.select {w.pick('i1')}, {w.pick(type_)}, {w.pick(type_)} : {type_}", type_)
        return
    operands = f"{w.pick(w.mask)}, {w.pick(type_)}, {w.pick(type_)}"
    w.set(f"arith.select {operands} : {w.mask}, {type_}", type_)


def _convert(w: Writer) -> None:
    name, source, result = w.rng.choice(
        [
            ("arith.sitofp", w.integers, w.floats),
            ("arith.uitofp", w.integers, w.floats),
            ("arith.fptosi", w.floats, w.integers),
            ("arith.fptoui", w.floats, w.integers),
            ("arith.extui", w.mask, w.integers),
            ("arith.extsi", w.mask, w.integers),
            ("arith.sitofp", w.shorts, w.halves),
            ("arith.fptosi", w.halves, w.shorts),
            ("arith.sitofp", "i32", "f32"),
            ("arith.fptosi", "f32", "i32"),
            ("arith.bitcast", w.integers, w.floats),
            ("vector.bitcast", w.integers, w.shorts),
            ("vector.bitcast", w.shorts, w.integers),
            ("tpu.bitcast", w.integers, w.floats),
        ]
    )
    arrow = "->" if name == "tpu.bitcast" else "to"
    w.set(f"{name} {w.pick(source)} : {source} {arrow} {result}", result)


def _bits_of_floats(w: Writer) -> None:
    """Bits of floats: NaNs have any, so there must be none."""
    value = w.pick(w.floats)
    known = w.set(f"arith.cmpf ord, {value}, {value} : {w.floats}", w.mask)
    number = w.set(
        f"arith.select {known}, {value}, {w.constant(w.floats)} : {w.mask}, {w.floats}", w.floats
    )
    w.set(f"arith.bitcast {number} : {w.floats} to {w.integers}", w.integers)


def _pack(w: Writer) -> None:
    format_ = "pack_format = #tpu.pack_format<interleaved>"
    wide, narrow = w.rng.choice([(w.floats, w.halves), (w.integers, w.shorts)])
    if w.rng.random() < 0.5:
        operands = f"{w.pick(wide)}, {w.pick(wide)} {{positions = array<i32: 0, 1>, {format_}}}"
        w.set(f"tpu.pack_subelements {operands} : {wide}, {wide} -> {narrow}", narrow)
        return
    index = w.rng.randrange(2)
    w.set(
        f"tpu.unpack_subelements {w.pick(narrow)}, {index} {{{format_}}} : {narrow} -> {wide}", wide
    )


def _scan(w: Writer) -> None:
    type_ = w.rng.choice([w.floats, w.integers])
    kind = w.rng.choice(["sum", "max", "min"])
    if w.rng.random() < 0.2:
        properties = "<{kind = #tpu.reduction_kind<sum>}>"
        types = f"({w.mask}) -> {w.integers}"
        w.set(f'"tpu.scan"({w.pick(w.mask)}) {properties} : {types}', w.integers)
        return
    operands = f"<{kind}>, {w.pick(type_)} masked {w.pick(w.mask)}"
    w.set(f"tpu.scan {operands} : {type_}, {w.mask} -> {type_}", type_)


def _sort(w: Writer) -> None:
    keys, values = (w.rng.choice([w.floats, w.integers]) for _ in range(2))
    descending = w.rng.choice(["", " {descending = true}"])
    operands = f"{w.pick(keys)}, {w.pick(values)} masked {w.pick(w.mask)}{descending}"
    types = f"({keys}, {values}, {w.mask}) -> ({w.mask}, {keys}, {values})"
    w.set(f"tpu.sort {operands} : {types}", w.mask, keys, values)


def _count(w: Writer) -> None:
    type_ = w.rng.choice([w.floats, w.integers])
    mask, value = w.pick(w.mask), w.pick(type_)
    if w.rng.random() < 0.5:
        operands = f"mask({mask} : {w.mask}) value({value} : {type_})"
        w.set(f"tpu.scan_count {operands} : {w.mask}, {w.integers}", w.mask, w.integers)
        return
    kind = w.rng.choice(["sum", "find_first_set"])
    attributes = f"{{dim = 0 : i64, kind = #tpu.reduction_kind<{kind}>}}"
    w.set(f"tpu.all_reduce {mask} {attributes} : {w.mask} -> {w.integers}", w.integers)


def _gather(w: Writer) -> None:
    type_ = w.rng.choice([w.floats, w.integers])
    operands = f"{w.pick(type_)}[{w.pick(w.integers)}] in [0]"
    w.set(f"tpu.dynamic_gather {operands} : {type_}, {w.integers} -> {type_}", type_)


def _scalars(w: Writer) -> None:
    scalar, vector = w.rng.choice([("i32", w.integers), ("f32", w.floats)])
    if w.rng.random() < 0.5:
        lane = w.rng.randrange(w.lanes)
        w.set(f"vector.extract {w.pick(vector)}[{lane}] : {scalar} from {vector}", scalar)
        return
    w.set(f"vector.broadcast {w.pick(scalar)} : {scalar} to {vector}", vector)


def _pieces(w: Writer) -> None:
    element, type_ = w.rng.choice([("i32", w.integers), ("f32", w.floats)])
    half = w.lanes // 2
    piece = f"vector<{half}x{element}>"
    parts = []
    for _ in range(2):
        at = f"{{offsets = [{w.rng.randrange(half + 1)}], sizes = [{half}], strides = [1]}}"
        value = w.pick(type_)
        parts.append(
            w.set(f"vector.extract_strided_slice {value} {at} : {type_} to {piece}", piece)
        )
    operands = f"{', '.join(parts)} in 0"
    w.set(f"tpu.concatenate {operands} : {piece}, {piece} -> {type_}", type_)


def _iota(w: Writer) -> None:
    w.set(f"tpu.iota {{dimensions = array<i32: 0>}} : {w.integers}", w.integers)


def _fold(w: Writer) -> None:
    element, type_, kinds = w.rng.choice(
        [
            ("i32", w.integers, ["add", "mul", "maxsi", "minui", "and", "or", "xor"]),
            ("f32", w.floats, ["add", "mul", "maximumf", "minimumf"]),
        ]
    )
    half = w.lanes // 2
    shape, row = f"vector<2x{half}x{element}>", f"vector<{half}x{element}>"
    value, start = w.pick(type_), w.constant(row)
    cast = w.set(f"vector.shape_cast {value} : {type_} to {shape}", shape)
    operands = f"<{w.rng.choice(kinds)}>, {cast}, {start} [0] : {shape} to {row}"
    folded = w.set(f"vector.multi_reduction {operands}", row)
    w.set(f"tpu.concatenate {folded}, {start} in 0 : {row}, {row} -> {type_}", type_)


def _bytes(w: Writer) -> None:
    names = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minui"]
    operands = f"{w.pick(w.bytes)}, {w.pick(w.bytes)}"
    w.set(f"arith.{w.rng.choice(names)} {operands} : {w.bytes}", w.bytes)


STATEMENTS: tuple[tuple[Statement, int], ...] = (
    (_binary, 8),
    (_bytes, 2),
    (_unary, 2),
    (_compare, 3),
    (_masks, 1),
    (_select, 2),
    (_convert, 4),
    (_bits_of_floats, 1),
    (_pack, 2),
    (_scan, 3),
    (_sort, 2),
    (_count, 2),
    (_gather, 1),
    (_scalars, 3),
    (_pieces, 1),
    (_iota, 1),
    (_fold, 1),
)
"""What can be written anywhere, and how often."""
