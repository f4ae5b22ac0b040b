"""`-sdy-explicit-gather-scatter-batching` against the C++ pass."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from support.amounts import examples
from support.oracle import assert_same

PASS = "sdy-explicit-gather-scatter-batching"

DYNAMIC = -1


@settings(derandomize=True, max_examples=examples(1500), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_gathers_and_scatters_become_those_of_the_oracle(seed: int) -> None:
    assert_same(random_function(random.Random(seed)), PASS, f"func.func({PASS})")


def random_function(source: random.Random) -> str:
    """Return a function with gathers and scatters, nearly all conditions of the pass met by most."""
    writer = _Writer(source)
    for _ in range(source.randint(1, 3)):
        writer.site()
    body = "\n".join(writer.lines)
    return f"func.func @main(%selector: tensor<i32>) {{\n{body}\nreturn\n}}"


def _type(shape: Sequence[int], element: str = "i32") -> str:
    return f"tensor<{''.join('?x' if size == DYNAMIC else f'{size}x' for size in shape)}{element}>"


class _Writer:
    """Writes the lines of a function."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.lines: list[str] = []
        self.count = 0
        self.shared: list[tuple[str, list[int], int, int]] = []
        """The indices that a later op may use again: name, shape, axis, number of pieces."""

    def rarely(self) -> bool:
        return self.source.random() < 0.08

    def value(self, text: str) -> str:
        """Write an op with one result."""
        self.count += 1
        location = ' loc("here")' if self.rarely() else ""
        self.lines.append(f"%v{self.count} = {text}{location}")
        return f"%v{self.count}"

    def opaque(self, kind: str) -> str:
        return self.value(f'"test.source"() : () -> {kind}')

    def site(self) -> None:
        """Write indices and an op that uses them, which may be in a region."""
        self.clutter()
        if not self.shared or self.source.random() < 0.85:
            self.indices()
        indices = self.source.choice(self.shared)
        if self.source.random() < 0.7:
            self.indexed(*indices)
            return
        self.lines.append('"stablehlo.case"(%selector) ({')
        known = len(self.shared)
        self.clutter()
        if self.source.random() < 0.5:
            self.indices()
        self.indexed(*self.shared[-1])
        del self.shared[known:]
        self.lines += ["stablehlo.return", "}) : (tensor<i32>) -> ()"]

    def clutter(self) -> None:
        """Write ops that the greedy driver folds, moves or erases."""
        for _ in range(self.source.randint(0, 2)):
            number = self.source.randint(0, 1)
            constant = self.value(f"stablehlo.constant dense<{number}> : tensor<4xi32>")
            same = self.value(f"stablehlo.reshape {constant} : (tensor<4xi32>) -> tensor<4xi32>")
            if self.source.random() < 0.7:
                self.lines.append(
                    f'"test.use"({same}, {constant}) : (tensor<4xi32>, tensor<4xi32>) -> ()'
                )

    def indices(self) -> None:
        """Write a concatenation of iotas and other indices."""
        source = self.source
        axis = source.choices([2, 1, 0], [8, 2, 1])[0]
        shape = [4, source.choice([3, 4, 4]), 4]
        if self.rarely():
            shape[source.randrange(3)] = DYNAMIC
        widths = [1] * source.choices([1, 2, 3], [1, 6, 3])[0]
        if source.random() < 0.25:
            widths[source.randrange(len(widths))] = source.choice([0, 2])
        pieces, kinds = [], []
        for width in widths:
            shape[axis] = width
            pieces.append(self.piece(shape, axis))
            kinds.append(_type(shape))
        shape[axis] = sum(widths)
        along = axis
        if self.rarely() and set(widths) == {1}:
            # Not a concatenation along the index vector dimension, of the same shape.
            name = self.opaque(_type(shape))
        else:
            name = self.value(
                f"stablehlo.concatenate {', '.join(pieces)}, dim = {along} {{test.x}}"
                f" : ({', '.join(kinds)}) -> {_type(shape)}"
            )
        if self.rarely():
            self.lines.append(f'"test.use"({name}) : ({_type(shape)}) -> ()')
        self.shared.append((name, shape, axis, len(pieces)))

    def piece(self, shape: list[int], axis: int) -> str:
        """Write a piece of the indices, often one made of an iota."""
        source, kind = self.source, _type(shape)
        if DYNAMIC in shape or source.random() < 0.3:
            return self.opaque(kind)
        along = 0 if source.random() < 0.8 else source.randrange(3)
        way = source.choices(
            ["iota", "broadcast", "reshape", "convert", "argument"], [5, 2, 2, 1, 1]
        )[0]
        if way == "iota":
            return self.value(f"stablehlo.iota dim = {along} : {kind}")
        if way == "convert":
            iota = self.value(f"stablehlo.iota dim = {along} : {kind}")
            return self.value(f"stablehlo.convert {iota} : {kind}")
        if way == "reshape":
            flat = _type([shape[0], shape[1] * shape[2]])
            iota = self.value(f"stablehlo.iota dim = {min(along, 1)} : {flat}")
            return self.value(f"stablehlo.reshape {iota} : ({flat}) -> {kind}")
        small = _type([shape[along]])
        iota = (
            self.value(f"stablehlo.iota dim = 0 : {small}")
            if way == "broadcast"
            else self.opaque(small)
        )
        return self.value(
            f"stablehlo.broadcast_in_dim {iota}, dims = [{along}] : ({small}) -> {kind}"
        )

    def indexed(self, indices: str, shape: list[int], axis: int, pieces: int) -> None:
        """Write a gather or scatter that takes the indices."""
        source, size = self.source, shape[axis]
        if size == DYNAMIC:
            size = source.randint(1, 3)
        rank = max(size, 1) + source.randint(0, 2)
        operand = [source.choices([4, 3, 5, DYNAMIC], [8, 1, 1, 1])[0] for _ in range(rank)]
        index_map = source.sample(range(rank), size)
        if source.random() < 0.8 and index_map and 0 not in index_map:
            index_map[0] = 0
        if source.random() < 0.5 and 0 in index_map:
            index_map.sort()
        batch = [
            d for d in range(rank) if d not in index_map and operand[d] == shape[(axis + 1) % 3]
        ]
        batch = batch[:1] if source.random() < 0.2 else []
        collapsed = [d for d in index_map if not self.rarely()]
        window = [d for d in range(rank) if d not in collapsed and d not in batch]
        sizes = [1] * rank
        for d in window:
            sizes[d] = source.randint(1, 3)
        result_rank = 2 + len(window)
        offsets = sorted(source.sample(range(result_rank), len(window)))
        loops = iter([s for d, s in enumerate(shape) if d != axis])
        windows = iter([sizes[d] for d in window])
        result = [next(windows if d in offsets else loops) for d in range(result_rank)]
        of_indices = [(axis + 1) % 3] if batch else []
        kinds = [_type(operand, "f32"), _type(shape), _type(result, "f32")]
        lists = [offsets, sorted(collapsed), batch, of_indices, index_map]
        if source.random() < 0.5:
            self.gather(indices, kinds, [*lists, axis], sizes)
        else:
            self.scatter(indices, kinds, [*lists, axis])

    def gather(self, indices: str, kinds: list[str], numbers: list, sizes: list[int]) -> None:
        operand, indices_kind, result_kind = kinds
        names = ["offset", "collapsed_slice", "operand_batching", "start_indices_batching"]
        text = _numbers("gather", [f"{name}_dims" for name in names] + ["start_index_map"], numbers)
        flag = self.source.choice(["", "indices_are_sorted = true, "])
        result = self.value(
            f'"stablehlo.gather"({self.opaque(operand)}, {indices}) <{{dimension_numbers = {text},'
            f" {flag}slice_sizes = array<i64: {', '.join(map(str, sizes))}>}}> {self.attributes()}"
            f" : ({operand}, {indices_kind}) -> {result_kind}"
        )
        if not self.rarely():
            self.lines.append(f'"test.use"({result}) : ({result_kind}) -> ()')

    def scatter(self, indices: str, kinds: list[str], numbers: list) -> None:
        operand, indices_kind, update = kinds
        count = self.source.choice([1, 1, 2])
        values = [self.opaque(operand) for _ in range(count)]
        values += [indices, *(self.opaque(update) for _ in range(count))]
        types = ", ".join([operand] * count + [indices_kind] + [update] * count)
        names = ["update_window", "inserted_window", "input_batching", "scatter_indices_batching"]
        names = [f"{name}_dims" for name in names] + ["scatter_dims_to_operand_dims"]
        flag = self.source.choice(["", "indices_are_sorted = true, ", "unique_indices = true, "])
        arguments = ", ".join(f"%a{i}: tensor<f32>" for i in range(2 * count))
        returned = ", ".join(f"%c{self.count}" if i == 0 else f"%a{i}" for i in range(count))
        scalars = ", ".join(["tensor<f32>"] * count)
        self.lines.append(
            f'"test.use"() : () -> ()\n%s{self.count}:{count} = "stablehlo.scatter"({", ".join(values)})'
            f" <{{{flag}scatter_dimension_numbers = {_numbers('scatter', names, numbers)}}}> ({{\n"
            f"^bb0({arguments}):\n%c{self.count} = stablehlo.constant dense<1.0> : tensor<f32>\n"
            f"stablehlo.return {returned} : {scalars}\n"
            f"}}) {self.attributes()} : ({types}) -> ({', '.join([operand] * count)})"
        )
        self.lines.append(f'"test.use"(%s{self.count}#0) : ({operand}) -> ()')

    def attributes(self) -> str:
        return self.source.choice(["", "{test.y}", "{mhlo.b = 1 : i64, test.a = [2]}"])


def _numbers(kind: str, names: list[str], numbers: list) -> str:
    fields = [f"{name} = {number}" for name, number in zip(names, numbers, strict=False)]
    return f"#stablehlo.{kind}<{', '.join(fields)}, index_vector_dim = {numbers[-1]}>"
