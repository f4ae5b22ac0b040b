"""The layout of SPMEM against the printed program, and against a chip with just enough memory."""

from __future__ import annotations

import dataclasses
import re
from math import prod
from typing import Any

import pytest

from sdykit.core.sparsecore.sizes import evaluate
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory.spmem import Spmem, spmem_of
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.tile.build import text_of
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.compile import build_checked, lay_out
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec

FIELDS: dict[str, Any] = {
    "dim": 24,
    "samples_per_core": 320,
    "max_ids_per_partition": 700,
    "max_unique_ids_per_partition": 300,
}
ADAGRAD = Adagrad(0.1)
SPECS: dict[str, TileSpec] = {
    "lookup": LookupSpec(**FIELDS, label="users"),
    "minibatches": LookupSpec(**FIELDS, minibatches=True, num_devices=2),
    "v6e": LookupSpec(**{**FIELDS, "chip": "v6e"}, dtype="bfloat16"),
    "ids": LookupSpec(dim=24, samples_per_core=320, layout="ids"),
    "update": UpdateSpec(**FIELDS, optimizer=ADAGRAD),
    "update of minibatches": UpdateSpec(**FIELDS, optimizer=ADAGRAD, minibatches=True),
    "update of ids": UpdateSpec(dim=24, samples_per_core=320, layout="ids", optimizer=ADAGRAD),
}
each_spec = pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
ELEMENTS = {"i32": 4, "f32": 4, "i64": 8, "index": 8, "bf16": 2}


def printed(spec: TileSpec) -> str:
    with tile_context() as context:
        module, _ = build_checked(context, dataclasses.replace(spec, reading="chip"))
        lay_out(module, "chip")
        return text_of(module)


@each_spec
def test_buffers_lie_one_after_another_and_are_as_large_as_their_product(spec: TileSpec) -> None:
    found = spmem_of(spec)
    assert found.phases
    assert (found.label, found.kind) == (spec.label, spec.kind)
    for phase in found.phases:
        end = 0
        for each in phase.buffers:
            assert each.offset >= end
            assert each.offset % 64 == 0
            end = each.offset + each.bytes
            *shape, element = each.shape.split("x")
            if element not in ELEMENTS:  # `index`, whose name has an x.
                shape, element = each.shape.removesuffix("xindex").split("x"), "index"
            elements = prod(evaluate(size, dict(each.limits)) for size in each.product.split(" x "))
            assert elements == prod(map(int, shape))
            assert each.bytes == -(-elements * ELEMENTS[element] // each.tiles)
        assert end <= phase.bytes <= found.capacity
    largest = found.largest
    assert largest is not None
    assert largest.bytes <= found.bytes == max(each.bytes for each in found.phases)


@each_spec
def test_buffers_are_in_use_in_the_steps_that_name_them(spec: TileSpec) -> None:
    """Against the text of the program: its steps follow one another, innermost last."""
    phases = re.split(r"^    scf\.parallel", printed(spec), flags=re.MULTILINE)[1:]
    named = [re.findall(r'sparsecore\.name = "(\w+)"', phase) for phase in phases]
    holding = [(phase, names) for phase, names in zip(phases, named, strict=True) if names]
    for found, (phase, held) in zip(spmem_of(spec).phases, holding, strict=True):
        assert sorted(each.name for each in found.buffers) == sorted(held)
        steps = re.findall(
            r'reads = \[([^]]*)\][^[]*?\.step = "(\w+)"[^[]*?writes = \[([^]]*)\]', phase
        )
        spans: dict[str, list[int]] = {}
        names: list[str] = []
        for reads, name, writes in steps:
            if not names or names[-1] != name:
                names.append(name)
            at = len(names) - 1
            for buffer in re.findall(r"\w+", f"{reads} {writes}"):
                spans.setdefault(buffer, []).append(at)
        assert found.steps == tuple(names)
        for each in found.buffers:
            if each.name == "block_words":  # A step's own, which it has between two others.
                assert steps[each.first][1] == steps[each.last][1] == "load"
                continue
            assert (each.first, each.last) == (min(spans[each.name]), max(spans[each.name]))


@each_spec
def test_it_fits_in_a_chip_with_as_much_memory_and_not_in_a_smaller_one(spec: TileSpec) -> None:
    in_spmem = dataclasses.replace(spec, staging="spmem")
    needed = spmem_of(in_spmem).bytes
    enough = dataclasses.replace(in_spmem, tile_memory_bytes=needed)
    assert spmem_of(enough).bytes == spmem_of(enough).capacity == needed
    with pytest.raises(SparseCoreError, match=r"do not fit|Gather operand too large"):
        spmem_of(dataclasses.replace(in_spmem, tile_memory_bytes=needed - 1))


def test_what_is_staged_is_listed() -> None:
    found = spmem_of(LookupSpec(**FIELDS, tile_memory_bytes=7000, label="users"))
    assert found.staged
    assert {each.owner for each in found.staged} == {"users"}
    assert found.bytes <= 7000
    names = {each.name for phase in found.phases for each in phase.buffers}
    assert not names & {each.name.partition(",")[0] for each in found.staged}


def test_labels_readings_and_checks_change_nothing() -> None:
    spec = LookupSpec(**FIELDS)
    plain = spmem_of(spec)
    for changes in ({"reading": "chip"}, {"check_nan": True, "counters": True}):
        assert spmem_of(dataclasses.replace(spec, **changes)) == plain
    named = spmem_of(dataclasses.replace(spec, label="a"))
    assert named.name == "lookup of a"
    assert dataclasses.replace(named, label="") == plain
    assert plain.name == "lookup"


def test_bytes_in_use_are_those_of_the_buffers_of_a_step() -> None:
    (phase,) = spmem_of(LookupSpec(**FIELDS)).phases
    sums = next(each for each in phase.buffers if each.name == "sums")
    assert (sums.first, sums.last) == (0, len(phase.steps) - 1)
    assert phase.bytes_in(0) == sums.bytes
    assert max(map(phase.bytes_in, range(len(phase.steps)))) < phase.bytes


def test_nothing_is_held_by_nothing() -> None:
    empty = Spmem("", "lookup", 100, 16, (), ())
    assert (empty.bytes, empty.largest) == (0, None)
