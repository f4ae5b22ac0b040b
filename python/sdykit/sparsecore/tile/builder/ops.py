"""The builder of tile programs: memory accesses and control flow, with constants and arithmetic."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.names import AXES, STATISTIC, TOTAL
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.arithmetic import Arithmetic

Values = list[ir.Value]
SPMEM = '"spmem"'
"""The memory space of a tile's own buffers; other buffers are in HBM."""
_FIRST_LEVEL = 3
"""The locality of prefetches. Those to the second cache are no faster on any batch, and on AMD's Zen 5
often wait for memory one after another: a lookup of 4096 rows then took five times as long."""
_UNKNOWN = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class Builder(Arithmetic):
    """Adds the ops of tile programs, with a method for each kind."""

    # Memory.

    def dim(self, buffer: ir.Value, number: int) -> ir.Value:
        """Return the size of a dimension of a buffer."""
        return self.op("memref.dim", [buffer, self.at(number)], [self.index]).result

    def load(self, buffer: ir.Value, *indices: ir.Value | int, **attributes: str) -> ir.Value:
        """Load an element of a buffer."""
        element = ir.MemRefType(buffer.type).element_type
        operands = [buffer, *map(self.at, indices)]
        return self.op("memref.load", operands, [element], **attributes).result

    def load_index(self, buffer: ir.Value, *indices: ir.Value | int, **attributes: str) -> ir.Value:
        """Load an integer, converted to an index."""
        return self.to_index(self.load(buffer, *indices, **attributes))

    def store(self, value: ir.Value, buffer: ir.Value, *indices: ir.Value | int) -> None:
        """Store an element to a buffer."""
        self.op("memref.store", [value, buffer, *map(self.at, indices)])

    def load_vector(
        self, buffer: ir.Value, indices: Sequence[ir.Value | int], count: int
    ) -> ir.Value:
        """Load adjacent elements of a row as a vector."""
        element = ir.MemRefType(buffer.type).element_type
        type_ = self.type(f"vector<{count}x{element}>")
        return self.op("vector.load", [buffer, *map(self.at, indices)], [type_]).result

    def slice_vector(self, value: ir.Value, start: int, count: int) -> ir.Value:
        """Return `count` adjacent elements of a vector, from `start` on."""
        element = ir.VectorType(value.type).element_type
        return self.op(
            "vector.extract_strided_slice",
            [value],
            [self.type(f"vector<{count}x{element}>")],
            offsets=f"[{start}]",
            sizes=f"[{count}]",
            strides="[1]",
        ).result

    def store_vector(
        self,
        value: ir.Value,
        buffer: ir.Value,
        indices: Sequence[ir.Value | int],
        **attributes: str,
    ) -> None:
        """Store a vector to adjacent elements of a row."""
        self.op("vector.store", [value, buffer, *map(self.at, indices)], (), **attributes)

    def spmem(self, shape: Sequence[int], element: str, **attributes: str) -> ir.Value:
        """Allocate a buffer in the SPMEM of the tile."""
        sizes = "x".join(map(str, shape))
        type_ = self.type(f"memref<{sizes}x{element}, {SPMEM}>")
        segments = {"operandSegmentSizes": "array<i32: 0, 0>"}
        return self.op("memref.alloc", [], [type_], **segments, **attributes).result

    def rows_of(self, buffer: ir.Value, first: ir.Value, count: ir.Value) -> ir.Value:
        """Return a view of some rows of a buffer of rank 2."""
        dim = ir.MemRefType(buffer.type).shape[1]
        view = f"?x{dim}", f"[{dim}, 1]"
        return self._view(buffer, (first, count), view, (_UNKNOWN, 0), (_UNKNOWN, dim))

    def row_of(self, buffer: ir.Value, row: ir.Value) -> ir.Value:
        """Return a view of a row of a buffer of rank 2, as a buffer of rank 1."""
        view = (1, _UNKNOWN)
        return self._view(buffer, (row, self.dim(buffer, 1)), ("?", "[1]"), (_UNKNOWN, 0), view)

    def part_of(self, buffer: ir.Value, first: ir.Value, count: ir.Value) -> ir.Value:
        """Return a view of some elements of a buffer of rank 1."""
        return self._view(buffer, (first, count), ("?", "[1]"), (_UNKNOWN,), (_UNKNOWN,))

    def columns_of(self, buffer: ir.Value, first: ir.Value | int, count: ir.Value) -> ir.Value:
        """Return a view of some columns of all rows of a buffer of rank 2."""
        whole = ir.MemRefType(buffer.type)
        rows = whole.shape[0]
        between = whole.shape[1] if whole.has_static_shape else "?"
        view = f"{rows}x?", f"[{between}, 1]"
        return self._view(buffer, (self.at(first), count), view, (0, _UNKNOWN), (rows, _UNKNOWN))

    def _view(
        self,
        buffer: ir.Value,
        values: tuple[ir.Value, ir.Value],
        view: tuple[str, str],
        offsets: Sequence[int],
        sizes: Sequence[int],
    ) -> ir.Value:
        """Return a view of a part of a buffer, with one dynamic offset and one dynamic size.

        Args:
            buffer: the whole buffer.
            values: the dynamic offset and the dynamic size.
            view: shape and strides of the view's type, as texts.
            offsets: the offset in each dimension; `_UNKNOWN` stands for the dynamic one.
            sizes: the size in each dimension; `_UNKNOWN` stands for the dynamic one.
        """
        whole, (shape, strides) = ir.MemRefType(buffer.type), view
        space = f", {whole.memory_space}" if whole.memory_space else ""
        layout = f"strided<{strides}, offset: ?>"
        return self.op(
            "memref.subview",
            [buffer, *values],
            [self.type(f"memref<{shape}x{whole.element_type}, {layout}{space}>")],
            static_offsets=_integers(offsets),
            static_sizes=_integers(sizes),
            static_strides=_integers([1] * len(sizes)),
            operandSegmentSizes="array<i32: 1, 1, 1, 0>",
        ).result

    def flat(self, buffer: ir.Value, count: ir.Value) -> ir.Value:
        """Return a view of all elements of a buffer, one after another."""
        return self._reshaped(buffer, count, "?", (_UNKNOWN,))

    def column(self, buffer: ir.Value) -> ir.Value:
        """Return a view of a buffer of rank 1 as a column: each element is a row."""
        return self._reshaped(buffer, self.dim(buffer, 0), "?x1", (_UNKNOWN, 1))

    def _reshaped(
        self, buffer: ir.Value, count: ir.Value, shape: str, sizes: Sequence[int]
    ) -> ir.Value:
        element = ir.MemRefType(buffer.type).element_type
        return self.op(
            "memref.reinterpret_cast",
            [buffer, count],
            [self.type(f"memref<{shape}x{element}>")],
            static_offsets=_integers([0]),
            static_sizes=_integers(sizes),
            static_strides=_integers([1] * len(sizes)),
            operandSegmentSizes="array<i32: 1, 0, 1, 0>",
        ).result

    def copy(self, source: ir.Value, target: ir.Value) -> None:
        """Copy a buffer to another of the same shape."""
        self.op("memref.copy", [source, target])

    def prefetch(
        self,
        buffer: ir.Value,
        *indices: ir.Value | int,
        write: bool = False,
    ) -> None:
        """Prefetch a cache line into the first-level cache.

        Args:
            buffer: the buffer.
            indices: the position of an element in the line.
            write: whether the line is written next, so that no other core keeps a copy.
        """
        self.op(
            "memref.prefetch",
            [buffer, *map(self.at, indices)],
            isWrite=str(write).lower(),
            localityHint=f"{_FIRST_LEVEL} : i32",
            isDataCache="true",
        )

    # Control flow.

    def loop(
        self,
        lower: ir.Value | int,
        upper: ir.Value | int,
        body: Callable[..., Sequence[ir.Value]],
        carried: Sequence[ir.Value] = (),
        *,
        step: ir.Value | int = 1,
        marks: Sequence[str] = (),
        axis: str | None = None,
        total: str | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> Values:
        """Add `scf.for`; `body(position, *carried)` returns the next carried values.

        Args:
            lower: the first position.
            upper: one past the last position.
            body: adds the ops of the body.
            carried: the values that the first iteration starts with.
            step: the distance of two positions.
            marks: names of unit attributes of the loop.
            axis: the dimension that counters are kept apart by; None: they are not.
            total: the figure of a batch that is the number of iterations, see `TOTAL`; None: it
                follows from the bounds.
            attributes: the texts of other attributes of the loop, by name.

        Returns:
            The values that the last iteration yields.
        """
        types = [value.type for value in carried]
        bounds = [self.at(lower), self.at(upper), self.at(step)]
        texts = {**(attributes or {}), **dict.fromkeys(marks, "unit"), **_total(total)}
        if axis is not None:
            texts[AXES] = json.dumps([axis])
        op = self.op_with_regions("scf.for", [*bounds, *carried], types, 1, **texts)
        block = self._block(op, 0, [self.index, *types], [] if axis is None else [axis])
        with ir.InsertionPoint(block):
            self.op("scf.yield", list(body(*block.arguments)))
        return list(op.results)

    def repeat(
        self,
        carried: Sequence[ir.Value],
        condition: Callable[..., ir.Value],
        body: Callable[..., Sequence[ir.Value]],
        *,
        total: str | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> Values:
        """Add `scf.while`; `body(*carried)` returns the next values while `condition(*carried)` holds.

        Args:
            carried: the values that the condition is first computed for.
            condition: adds the ops of the condition, and returns it.
            body: adds the ops of the body.
            total: the figure of a batch that is the number of iterations, see `TOTAL`.
            attributes: the texts of other attributes of the loop, by name.

        Returns:
            The first values that the condition does not hold for.
        """
        types = [value.type for value in carried]
        texts = {**(attributes or {}), **_total(total)}
        op = self.op_with_regions("scf.while", carried, types, 2, **texts)
        before, after = self._block(op, 0, types), self._block(op, 1, types)
        with ir.InsertionPoint(before):
            holds = condition(*before.arguments)
            self.op("scf.condition", [holds, *before.arguments])
        with ir.InsertionPoint(after):
            self.op("scf.yield", list(body(*after.arguments)))
        return list(op.results)

    def repeat_at_least_once(
        self,
        carried: Sequence[ir.Value],
        body: Callable[..., tuple[ir.Value, Sequence[ir.Value]]],
        *,
        total: str | None = None,
    ) -> Values:
        """Add `scf.while`; `body(*carried)` returns whether to continue, and the next values.

        Args:
            carried: the values that the first iteration starts with.
            body: adds the ops of the body.
            total: the figure of a batch that is the number of iterations, see `TOTAL`.

        Returns:
            The values that the last iteration returned.
        """
        types = [value.type for value in carried]
        op = self.op_with_regions("scf.while", carried, types, 2, **_total(total))
        before, after = self._block(op, 0, types), self._block(op, 1, types)
        with ir.InsertionPoint(before):
            holds, values = body(*before.arguments)
            self.op("scf.condition", [holds, *values])
        with ir.InsertionPoint(after):
            self.op("scf.yield", list(after.arguments))
        return list(op.results)

    def figure(self, value: ir.Value, name: str) -> ir.Value:
        """Mark a value as a figure of the batch, from which counts follow; return it."""
        assert not isinstance(value.owner, ir.Block)
        value.owner.operation.attributes[STATISTIC] = self.attribute(json.dumps(name))
        return value

    def choose(
        self,
        condition: ir.Value,
        then: Callable[[], Sequence[ir.Value]],
        otherwise: Callable[[], Sequence[ir.Value]] = tuple,
        types: Sequence[ir.Type] = (),
        *,
        marks: Sequence[str] = (),
        total: str | None = None,
    ) -> Values:
        """Add `scf.if`.

        Args:
            condition: an `i1`.
            then: adds the ops of the first branch, and returns the values that it yields.
            otherwise: the same for the second branch; by default it is empty.
            types: the types of these values.
            marks: names of unit attributes of the op.
            total: the figure of a batch that says how often the condition holds, see `TOTAL`.
        """
        attributes = {**dict.fromkeys(marks, "unit"), **_total(total)}
        op = self.op_with_regions("scf.if", [condition], types, 2, **attributes)
        for number, side in enumerate((then, otherwise)):
            with ir.InsertionPoint(self._block(op, number, [])):
                self.op("scf.yield", list(side()))
        return list(op.results)

    def both(
        self,
        first: ir.Value,
        second: Callable[[], Sequence[ir.Value]],
        *,
        total: str | None = None,
    ) -> ir.Value:
        """Return whether two conditions hold; the second is computed only if the first holds.

        Args:
            first: the first condition.
            second: adds the ops of the second one, and returns it.
            total: the figure of a batch that says how often the first holds, see `TOTAL`.
        """
        truth, no = self.type("i1"), lambda: [self.constant("0", self.type("i1"))]
        return self.choose(first, second, no, [truth], total=total)[0]

    def phase(
        self,
        axes: Mapping[str, int],
        body: Callable[..., None],
        **attributes: str,
    ) -> None:
        """Add a phase, or a step in one: an `scf.parallel`.

        Args:
            axes: the number of iterations by the name of each dimension.
            body: adds the ops of an iteration; called with its number in each dimension.
            attributes: the other attributes of the loop.
        """
        sizes = tuple(axes.values())
        count = len(sizes)
        zeros, ones = [self.at(0)] * count, [self.at(1)] * count
        op = self.op_with_regions(
            "scf.parallel",
            [*zeros, *map(self.at, sizes), *ones],
            [],
            1,
            operandSegmentSizes=f"array<i32: {count}, {count}, {count}, 0>",
            **{AXES: json.dumps(list(axes)), **attributes},
        )
        block = self._block(op, 0, [self.index] * count, list(axes))
        with ir.InsertionPoint(block):
            body(*block.arguments)
            self.op("scf.reduce", [])

    def op_with_regions(
        self,
        name: str,
        operands: Sequence[ir.Value],
        results: Sequence[ir.Type],
        regions: int,
        **attributes: str,
    ) -> ir.Operation:
        """Add an op with regions that have no blocks yet."""
        return ir.Operation.create(
            name,
            results=results,
            operands=operands,
            attributes={key: self.attribute(text) for key, text in attributes.items()},
            regions=regions,
        )

    def _block(
        self, op: ir.Operation, region: int, types: Sequence[ir.Type], names: Sequence[str] = ()
    ) -> ir.Block:
        """Add the block of a region; `names` are those of its first arguments."""
        locations = [ir.Location.name(name, context=self.context) for name in names]
        locations += [ir.Location.unknown(self.context)] * (len(types) - len(names))
        return ir.Block.create_at_start(op.regions[region], types, locations)


def _integers(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def _total(figure: str | None) -> dict[str, str]:
    """Return the text of the attribute `TOTAL`, by its name; None: there is none."""
    return {} if figure is None else {TOTAL: json.dumps(figure)}
