"""What a sequence of collectives does, device by device: whether each has the data that it is to get."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from sdykit.dialects import sdy
from sdykit.mlir import ir
from support.sdy.random_reshards import Axis, Mesh, Pair

Dims = list[list[Axis]]
Block = tuple[range, ...]


@dataclass
class Step:
    """A collective: its name, the axes of each dimension afterwards, and those that it works along."""

    name: str
    dims: Dims
    along: list[Axis]


def steps_of(function: ir.Operation, mesh: Mesh) -> list[Step]:
    """Return the collectives of a function."""
    found = []
    for each in function.regions[0].blocks[0].operations:
        op = each.operation
        if not op.results:
            continue
        sharding = sdy.TensorShardingAttr.of(op.attributes["out_sharding"])
        dims = [_axes(dim.axes, mesh) for dim in sharding.dim_shardings]
        found.append(Step(op.name, dims, _along(op, mesh)))
    return found


def _along(op: ir.Operation, mesh: Mesh) -> list[Axis]:
    for key in ("gathering_axes", "slicing_axes"):
        if key in op.attributes:
            lists = sdy.ListOfAxisRefListsAttr.of(op.attributes[key]).value
            return [axis for each in lists for axis in _axes(each.value, mesh)]
    if "params" in op.attributes:
        params = sdy.AllToAllParamListAttr.of(op.attributes["params"]).value
        return [axis for each in params for axis in _axes(each.axes, mesh)]
    return []


def _axes(refs: Sequence[sdy.AxisRefAttr], mesh: Mesh) -> list[Axis]:
    found = []
    for ref in refs:
        part = ref.sub_axis_info
        full = (ref.name, 1, mesh[ref.name])
        found.append(full if part is None else (ref.name, part.pre_size, part.size))
    return found


def without_single(dims: Dims) -> Dims:
    """Return the axes of dimensions without those of a single device."""
    return [[axis for axis in axes if axis[2] > 1] for axes in dims]


def is_sound(dims: Dims, mesh: Mesh) -> bool:
    """Return whether equally many devices have each block: not so if parts of an axis do not fit."""
    axes = [axis for each in dims for axis in each]
    for name, size in mesh.items():
        parts = [axis for axis in axes if axis[0] == name]
        counts: dict[tuple[int, ...], int] = {}
        for index in range(size):
            digits = tuple(_digit(index, size, part) for part in parts)
            counts[digits] = counts.get(digits, 0) + 1
        if len(counts) != math.prod(part[2] for part in parts) or len(set(counts.values())) > 1:
            return False
    return True


def arrives(pair: Pair, steps: Sequence[Step]) -> bool:
    """Return whether the last collective makes the sharding that is wanted, and all on the way can be."""
    last = steps[-1].dims if steps else pair.has.dims
    if without_single(last) != without_single(pair.wants.dims):
        return False
    return all(is_sound(each, pair.mesh) for each in (pair.has.dims, *(s.dims for s in steps)))


def assert_data_is_there(pair: Pair, steps: Sequence[Step]) -> None:
    """Assert that each device gets its data from itself, or from those that a collective lets it ask."""
    devices = [
        dict(zip(pair.mesh, index, strict=True))
        for index in product(*map(range, pair.mesh.values()))
    ]
    before = pair.has.dims
    for step in steps:
        atoms = _atoms(pair.mesh, [*step.along, *(axis for dim in step.dims for axis in dim)])
        kept = [atom for atom in atoms if not any(_contains(axis, atom) for axis in step.along)]
        blocks = [_block(before, each, pair.mesh) for each in devices]
        for number, device in enumerate(devices):
            after = _block(step.dims, device, pair.mesh)
            if step.name == "sdy.collective_permute":
                assert after in blocks, step
            elif step.name == "sdy.all_slice":
                assert _common(after, blocks[number]) == _volume(after), step
            else:
                key = [_digit(device[atom[0]], pair.mesh[atom[0]], atom) for atom in kept]
                group = {
                    block
                    for other, block in zip(devices, blocks, strict=True)
                    if key == [_digit(other[a[0]], pair.mesh[a[0]], a) for a in kept]
                }
                assert sum(_common(after, each) for each in group) == _volume(after), step
        before = step.dims


def _digit(index: int, full: int, part: Axis) -> int:
    _, pre, size = part
    return index // (full // (pre * size)) % size


def _contains(axis: Axis, part: Axis) -> bool:
    return axis[0] == part[0] and axis[1] <= part[1] and part[1] * part[2] <= axis[1] * axis[2]


def _atoms(mesh: Mesh, axes: Sequence[Axis]) -> list[Axis]:
    """Return the smallest parts that mesh axes are cut into."""
    found: list[Axis] = []
    for name, full in mesh.items():
        ends = {1, full, *(end for a in axes if a[0] == name for end in (a[1], a[1] * a[2]))}
        ordered = sorted(ends)
        found += [(name, low, high // low) for low, high in pairwise(ordered)]
    return found


def _block(dims: Dims, device: dict[str, int], mesh: Mesh) -> Block:
    found = []
    for axes in dims:
        start, width = 0, math.prod(mesh.values())
        for axis in axes:
            width //= axis[2]
            start += width * _digit(device[axis[0]], mesh[axis[0]], axis)
        found.append(range(start, start + width))
    return tuple(found)


def _volume(block: Block) -> int:
    return math.prod(map(len, block))


def _common(one: Block, other: Block) -> int:
    return math.prod(
        max(0, min(a.stop, b.stop) - max(a.start, b.start)) for a, b in zip(one, other, strict=True)
    )
