"""The library's lookup on several CPU devices, compared with the reference bit by bit.

    python python/tests/support/jax_tpu_embedding/lookups_on_devices.py --devices 4 --chip v5p

A process of its own: the number of devices is fixed when JAX starts.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))


def main() -> None:
    parser = argparse.ArgumentParser(description="The library's lookup on several CPU devices.")
    parser.add_argument("--devices", type=int, default=4, help="CPU devices: 4 or 8")
    parser.add_argument("--chip", default="v5p", help="the chip that they play")
    parser.add_argument("--execute", default="cpu", help="the reading that is run: cpu or chip")
    arguments = parser.parse_args()
    flags = f"--xla_force_host_platform_device_count={arguments.devices}"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flags}"
    import sdykit.sparsecore as sc

    cores = sc.configure(arguments.chip, execute=arguments.execute).sparse_cores
    compare_meshes(arguments.devices, cores)
    compare_parts(arguments.devices, cores)
    check_errors(arguments.devices, cores)
    check_rows(arguments.devices, cores)
    check_few_rows(arguments.devices, cores)
    print(f"{arguments.devices} devices x {cores} SparseCores")


def make_mesh(**sizes: int) -> Any:
    import jax
    from jax.sharding import AxisType

    return jax.make_mesh(
        tuple(sizes.values()), tuple(sizes), axis_types=(AxisType.Auto,) * len(sizes)
    )


def compare_meshes(devices: int, cores: int) -> None:
    """Compare lookups whose tables are split over all manual axes."""
    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding.gradient_cases import make_case
    from support.jax_tpu_embedding.lookup_cases import CONFIGS

    line, grid = make_mesh(x=devices), make_mesh(a=devices // 2, b=2)
    for number, (mesh, names, settings) in enumerate(
        [
            (line, ("x",), {"check_vma": False}),
            (line, ("x",), {"check_vma": True}),
            (grid, ("a", "b"), {"check_vma": False}),
            (grid, ("a", "b"), {"check_vma": True}),
            (grid, ("a",), {"axis_names": {"a"}}),
        ]
    ):
        parts = int(np.prod([mesh.shape[name] for name in names]))
        case = make_case(number, System(parts, cores), minibatching=number % 2 == 1)
        compare(case, mesh, names, settings, CONFIGS[number % 3], is_eager=number == 0)


def compare_parts(devices: int, cores: int) -> None:
    """Compare lookups whose tables are split over some of the manual axes."""
    import jax

    from sdykit.bridge.errors import BridgeError
    from sdykit.bridge.jax_tpu_embedding.devices import axes_of_tables
    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding.gradient_cases import make_case

    # Up to 8 partitions there are as many row pointers.
    mesh = make_mesh(a=devices // 2, b=2)
    case = make_case(7, System(devices // 2, cores))
    assert len(case.buffers[0]) == 8 * cores * case.entries.system.num_devices
    with axes_of_tables("a"):
        compare(case, mesh, ("a",), {"check_vma": False}, None)
    mapped = mapped_lookup(case, mesh, ("a",), None, {"check_vma": False})
    found = error_of(
        BridgeError, jax.jit(mapped), *case.buffers, case.table.reshape(-1, case.table.shape[-1])
    )
    assert found == (
        f"sparse_dense_matmul_csr: lhs_row_pointers is int32[{8 * cores}], which fits tables that "
        "are split over the axes () or ('a') or ('b'); expected "
        "sdykit.bridge.jax_tpu_embedding.devices.axes_of_tables to choose one"
    ), found
    # Each device has a table of its own.
    alone = make_case(8, System(1, cores))
    operands = (*alone.buffers, alone.table[0])
    mapped = mapped_lookup(alone, make_mesh(x=devices), (), None, {"check_vma": False})
    from support.jax_tpu_embedding.lookup_cases import expected

    np.testing.assert_array_equal(jax.jit(mapped)(*operands), expected(alone))


def mapped_lookup(
    case: Any, mesh: Any, names: tuple[str, ...], config: Any, settings: dict[str, Any]
) -> Any:
    """Return the lookup in `shard_map`."""
    import jax
    from jax.sharding import PartitionSpec as P

    from support.jax_tpu_embedding import lookup_cases as cases

    primitive = cases.lowered("csr").tpu_sparse_dense_matmul_csr_primitive
    split = P(names) if names else P()
    return jax.shard_map(
        functools.partial(primitive.bind, **cases.options(case, config)),
        mesh=mesh,
        in_specs=(split, split, split, split, P(), split),
        out_specs=split,
        **settings,
    )


def compare(
    case: Any,
    mesh: Any,
    names: tuple[str, ...],
    settings: dict[str, Any],
    config: Any,
    *,
    is_eager: bool = False,
) -> None:
    """Compare a lookup of all devices."""
    import jax

    from support.jax_tpu_embedding.gradient_cases import same
    from support.jax_tpu_embedding.lookup_cases import expected

    mapped = mapped_lookup(case, mesh, names, config, settings)
    operands = (*case.buffers, case.table.reshape(-1, case.table.shape[-1]))
    for each in (jax.jit(mapped), *[mapped] * is_eager):
        found = each(*operands)
        assert same(found, expected(case, config)), (mesh.shape, names, settings, config)


def check_errors(devices: int, cores: int) -> None:
    """Check the errors of an invalid program, and of ids outside of the table."""
    import jax
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    from sdykit.bridge.errors import BridgeError
    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding import lookup_cases as cases
    from support.jax_tpu_embedding.gradient_cases import make_case

    mesh = make_mesh(x=devices)
    case = make_case(9, System(devices, cores))
    primitive = cases.lowered("csr").tpu_sparse_dense_matmul_csr_primitive
    run = functools.partial(primitive.bind, **cases.options(case))
    operands = (*case.buffers, case.table.reshape(-1, 8))
    split = NamedSharding(mesh, P("x"))
    placed = [jax.device_put(each, split if each.ndim else None) for each in operands]
    for each in (run, jax.jit(run)):
        assert error_of(BridgeError, each, *placed) == (
            f"sparse_dense_matmul_csr: the program runs on {devices} devices without "
            "jax.shard_map; expected jax.shard_map, in which each device has its part of table "
            "and batch"
        )
    unstack = cases.lowered("activation_unstack")
    whole = functools.partial(
        unstack.tpu_sparse_dense_matmul_activation_unstack_primitive.bind,
        per_feature_batch_sizes=(len(placed[5]),),
        per_feature_dims=(8,),
    )
    assert error_of(BridgeError, jax.jit(whole), placed[5]).startswith(
        f"sparse_dense_matmul_activation_unstack: the program runs on {devices} devices without "
    )
    short = make_case(9, System(1, cores)).buffers
    grid = make_mesh(a=devices // 2, b=2)
    mapped = mapped_lookup(case, grid, ("a", "b"), None, {"check_vma": False})
    size = len(short[0]) * 3
    tiled = [np.tile(short[0], 3 * devices), *operands[1:]]
    wanted = cores * max(devices * cores, 8)
    assert error_of(BridgeError, jax.jit(mapped), *tiled) == (
        f"sparse_dense_matmul_csr: lhs_row_pointers is int32[{size}]; expected int32[{wanted}], "
        f"as the call has {devices} devices along 'a', 'b' with {cores} SparseCores each"
    )


def check_few_rows(devices: int, cores: int) -> None:
    """Check the error of a table that is split over more axes than were chosen."""
    import jax
    from jax.sharding import PartitionSpec as P

    from sdykit.bridge.jax_tpu_embedding.devices import axes_of_tables
    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding import gradient_cases, lookup_cases

    mesh = make_mesh(a=devices // 2, b=2)
    case = gradient_cases.make_case(7, System(devices // 2, cores))
    gradient = case.gradient.reshape(-1, 8)
    csr = lookup_cases.lowered("csr").tpu_sparse_dense_matmul_csr_primitive
    module = lookup_cases.lowered("grad_with_sgd")
    sgd = module.tpu_sparse_dense_matmul_grad_with_sgd_primitive
    named = {"computation_name": "sgd-table", **gradient_cases.LIMITS}
    split, both = P("a"), P(("a", "b"))
    look_up = functools.partial(csr.bind, **lookup_cases.options(case, None))
    update = functools.partial(sgd.bind, **named)
    buffers, table = (split, split, split, split, P()), case.table.reshape(-1, 8)
    for function, specs, results, operands in (
        (look_up, (*buffers, both), split, (table,)),
        (update, (*buffers, both, split, P()), both, (table, gradient, np.float32(0.1))),
    ):
        mapped = jax.shard_map(
            function, mesh=mesh, in_specs=specs, out_specs=results, check_vma=False
        )
        with axes_of_tables("a"):
            run = jax.jit(mapped).lower(*case.buffers, *operands).compile()
        found = error_of(Exception, result_of(run), *case.buffers, *operands)
        assert ", which has 20 rows: id " in found, found
        assert "preprocessed for this table and the devices that it is split over" in found, found


def result_of(run: Any) -> Any:
    """Return a function that waits for what another one returns."""
    import jax

    return lambda *operands: jax.block_until_ready(run(*operands))


def check_rows(devices: int, cores: int) -> None:
    """Check the error of an id outside of the table."""
    import jax

    from sdykit.sparsecore.specs import System
    from support.jax_tpu_embedding.gradient_cases import make_case

    case = make_case(9, System(devices, cores))
    pointers, ids, *others = case.buffers
    ids = ids.copy()
    ids[0] = 1000
    operands = (pointers, ids, *others, case.table.reshape(-1, 8))
    mapped = jax.jit(mapped_lookup(case, make_mesh(x=devices), ("x",), None, {"check_vma": False}))
    found = error_of(Exception, lambda: jax.block_until_ready(mapped(*operands)))
    assert (
        f"sparse_dense_matmul_csr: embedding_table float32[{40 * cores},8]: embedding_ids: device "
        "0, SparseCore 0, position 0: row 1000 of partition 0, which has 40 rows: id "
        f"{1000 * devices * cores} of the table"
    ) in found, found


def error_of(kind: type[Exception], function: Any, *operands: Any) -> str:
    """Return the error text of a call."""
    try:
        function(*operands)
    except kind as error:
        return str(error)
    raise AssertionError("there is no error")


if __name__ == "__main__":
    main()
