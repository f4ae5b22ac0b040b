"""The HBM stack: its size, and the error if there is no room for it."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import pytest

import sdykit.sparsecore as sc
from sdykit.cli.main import main
from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory import check_hbm_stack, check_hbm_tables, hbm_stack
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, TileSpec, UpdateSpec

LARGE = LookupSpec(
    dim=2**16, samples_per_core=1, max_ids_per_partition=400_000, chip="v6e", num_devices=2
)
ERROR = (
    "lookup: Ran out of memory in HBM: 419434124288 bytes are needed on each device, and a device of "
    "chip v6e has 34359738368. The largest: HBM stack of the lookup 419433600000 ((2 * 65536 "
    "(feature_width) + 1) * 400000 (max_unique_nz_per_row) * 2 (logical_replica_count) * 4); "
    "activations 524288 (float32[2,65536]). To make it fit: lower max_unique_ids_per_partition, use "
    "narrower rows, or fewer devices for each table"
)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (LookupSpec(dim=16, samples_per_core=8, max_unique_ids_per_partition=100), 33 * 100 * 4),
        (LookupSpec(dim=1, samples_per_core=8, num_devices=8), 3 * 256 * 8 * 4),
        (UpdateSpec(dim=16, samples_per_core=8, max_unique_ids_per_partition=7), 48 * 7 * 4),
        (CustomUpdateSpec(dim=5, samples_per_core=8, num_devices=2, stablehlo=""), 15 * 512 * 4),
    ],
)
def test_the_size_is_the_product_that_the_text_shows(spec: TileSpec, expected: int) -> None:
    stack = hbm_stack(spec)
    assert stack is not None
    assert stack.bytes == expected
    size, _, product = str(stack).partition(" bytes = ")
    assert int(size) == expected
    for name in ("feature_width", "max_unique_nz_per_row", "logical_replica_count"):
        assert f" ({name})" in product
        product = product.replace(f" ({name})", "")
    assert eval(product) == expected


@pytest.mark.parametrize("kind", [LookupSpec, UpdateSpec])
def test_a_stack_has_no_more_unique_ids_than_ids(kind: type[LookupSpec] | type[UpdateSpec]) -> None:
    """A program may limit its ids alone, and leave its unique ids without a limit."""
    spec = kind(dim=128, samples_per_core=8, max_unique_ids_per_partition=2**30)
    stack = hbm_stack(spec)
    assert stack is not None
    assert stack.max_unique_nz_per_row == 256
    compile_tile(spec, cache=None)


def test_layout_ids_has_no_hbm_stack() -> None:
    spec = LookupSpec(dim=2**16, samples_per_core=8, layout="ids", num_devices=2**16)
    assert hbm_stack(spec) is None
    check_hbm_stack(spec)


def test_a_device_of_7x_has_half_of_the_hbm() -> None:
    """3 * 2^16 * unique * 4 bytes, and the gradients of 2 samples; a device has 96 GiB."""
    spec = _update_on_7x(131_071)
    stack = hbm_stack(spec)
    assert stack is not None
    assert stack.bytes + 2 * 2**16 * 4 <= 96 * 2**30
    check_hbm_stack(spec)
    figures = (
        "a device of chip 7x has 103079215104, 1/2 of the chip's 206158430208. The largest: HBM"
    )
    with pytest.raises(SparseCoreError, match=f"^update: .*{figures}"):
        check_hbm_stack(_update_on_7x(131_072))


def _update_on_7x(unique: int) -> UpdateSpec:
    return UpdateSpec(
        dim=2**16,
        samples_per_core=1,
        max_ids_per_partition=2**20,
        max_unique_ids_per_partition=unique,
        chip="7x",
    )


def test_a_program_without_room_is_not_compiled() -> None:
    with pytest.raises(SparseCoreError) as raised:
        compile_tile(LARGE, cache=None)
    assert str(raised.value) == ERROR


def test_a_stack_without_room_is_an_error_of_a_jax_program(tmp_path: Path) -> None:
    """A chip with 1 MiB of HBM."""
    small = tmp_path / "small.toml"
    small.write_text('base = "v5p"\nhbm_bytes = 1_048_576\n')
    table = sc.TableSpec(
        *("t", 1000, 64, Adagrad(0.1)),
        max_ids_per_partition=4000,
        max_unique_ids_per_partition=2050,
    )
    layer = sc.Embedding([sc.FeatureSpec("f", table, batch_size=16)], chip=str(small))
    with pytest.raises(SparseCoreError) as raised:
        layer.init(jax.random.key(0), jax.nn.initializers.zeros)
    assert (
        "init: Ran out of memory in HBM: 3639040 bytes are needed on each device, and a device of "
        "chip small has 1048576. The largest: t: HBM stack of the update 1574400 (3 * 64 "
        "(feature_width) * 2050 (max_unique_nz_per_row) * 1 (logical_replica_count) * 4); "
        "t: embedding_ids 512000 (int32[64000], of this step and 1 more); "
    ) in str(raised.value)


def test_the_command_prints_the_hbm_stack(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lookup.json"
    path.write_text(LookupSpec(dim=16, samples_per_core=8).to_json())
    assert main(["compile", str(path), "--emit=spmem"]) == 0
    first, *rest = capfd.readouterr().out.splitlines(keepends=True)
    assert first == f"// HBM stack: {hbm_stack(LookupSpec(dim=16, samples_per_core=8))}\n"
    program = tmp_path / "lookup.mlir"
    program.write_text(first + "".join(rest))
    assert main(["compile", "--from-tile", str(program), "--emit=spmem"]) == 0
    assert len(capfd.readouterr().out.splitlines()) == len(rest)
    path.write_text(json.dumps(json.loads(LARGE.to_json())))
    assert main(["compile", str(path)]) == 1
    assert capfd.readouterr().err == f"sdykit compile: error: {path}: {ERROR}\n"


def test_tables_and_slots_that_do_not_fit_are_an_error() -> None:
    """A device of 7x has half of its 192 GiB."""
    full = {"users": 64 * 2**30, "users.slots.momentum": 32 * 2**30}
    check_hbm_tables("init", chip("7x"), full)
    with pytest.raises(SparseCoreError) as raised:
        check_hbm_tables("init", chip("7x"), {**full, "words": 4})
    assert str(raised.value) == (
        "init: Ran out of memory in HBM: 103079215108 bytes are needed on each device, and a device "
        "of chip 7x has 103079215104, 1/2 of the chip's 206158430208. The largest: users 68719476736; "
        "users.slots.momentum 34359738368; words 4. To make it fit: use more devices, a narrower "
        "dtype, narrower rows, an optimizer with smaller slots, or another chip, see "
        "sdykit.sparsecore.configure"
    )


def test_the_error_lists_the_largest_tables() -> None:
    sizes = {f"t{number}": number * 2**30 for number in range(1, 12)}
    with pytest.raises(
        SparseCoreError, match=r": t11 \d+; .*; t4 4294967296; 3 more 6442450944\. "
    ):
        check_hbm_tables("init", chip("v6e"), sizes)


def test_the_command_says_that_limits_do_not_apply_to_raw_ids(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lookup.json"
    path.write_text(LookupSpec(dim=16, samples_per_core=8, layout="ids").to_json())
    assert main(["compile", str(path), "--emit=spmem"]) == 0
    first = capfd.readouterr().out.splitlines()[0]
    assert first == (
        "// raw ids: limits of partitions and mod-sharding do not apply; they do in layout "
        "jax_tpu_embedding, to which sdykit.sparsecore.lookup(..., as_on_chip=True) converts raw ids"
    )
