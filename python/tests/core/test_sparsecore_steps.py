"""The steps of a tile program, read from the IR."""

from __future__ import annotations

from sdykit.core.sparsecore.steps import GATHER, STEPS, Step, steps_in
from sdykit.mlir import ir, make_context
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import add_step, hold

SIZES = {"max_unique_ids_per_partition": 30, "dim": 8, "tiles": 16}


def test_a_step_that_is_built_is_read_back() -> None:
    with tile_context() as context, ir.Location.unknown(context):
        module = ir.Module.create()
        builder = Builder(context, module.body)
        with ir.InsertionPoint(module.body):
            held = hold(
                builder,
                "gathered",
                "f32",
                ["max_unique_ids_per_partition", "dim"],
                SIZES,
                tiles=16,
                staging="auto",
            )
            add_step(builder, GATHER, 16, lambda _: None, reads=["unique"], writes=["gathered"])
        (found,) = steps_in(module.operation)
        assert found == Step(found.op, "gather", ("unique",), ("gathered",))
        assert str(held.type) == 'memref<30x8xf32, "spmem">'
        assert 'sparsecore.name = "gathered"' in str(held.owner)
        assert 'sparsecore.size = ["max_unique_ids_per_partition", "dim"]' in str(held.owner)
        assert module.operation.verify()


def test_a_loop_without_the_attribute_is_no_step() -> None:
    with make_context() as context:
        module = ir.Module.parse(
            "func.func @f(%n: index) { scf.for %i = %n to %n step %n {} return }", context
        )
        assert steps_in(module.operation) == []


def test_every_step_says_what_it_does() -> None:
    assert all(name and text[0].islower() for name, text in STEPS.items())
