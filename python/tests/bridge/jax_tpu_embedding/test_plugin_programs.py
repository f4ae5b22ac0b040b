"""Programs that know nothing of the plugin: of the library, and of JAX alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.jax_tpu_embedding.plugin_programs import run_with_plugin

# A lookup of one device: sample i has row i, and an id that a test may change.
LOOKUP = """
import jax, numpy as np

def import_library():
    global csr
    from jax_tpu_embedding.sparsecore.lib.core.primitives import sparse_dense_matmul_csr as csr

def make(bad_id=None):
    # One SparseCore after the other has sample i look up row 1 of partition i.
    pointers = np.tile(np.int32([8, 16, 24, 32, 32, 32, 32, 32]), 4)
    ids, samples, gains = np.zeros((3, 128), np.int32)
    pointers[:] = np.tile([1, 9, 17, 25, 32, 32, 32, 32], 4)
    ids[::8] = 1
    samples[::8] = np.tile(range(4), 4)
    gains = np.where(ids, np.float32(2), np.float32(np.nan))
    if bad_id is not None:
        ids[8] = bad_id
    table = np.arange(64 * 8, dtype=np.float32).reshape(64, 8)
    return pointers, ids, samples, gains, np.int32(1), table

def lookup(*operands):
    return csr.tpu_sparse_dense_matmul_csr_primitive.bind(
        *operands, device_batch_size=16, max_ids_per_partition=256,
        max_unique_ids_per_partition=256, sharding_strategy=1)

def check(found):
    table = make()[-1].reshape(4, 16, 8)
    assert (np.asarray(found) == np.tile(2 * table[:, 1], (4, 1))).all(), found
"""

# Every order in a process of its own, forked before there is a backend.
ORDERS = """
import importlib, os, threading, traceback, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 does not like forks.

def library_first():
    import_library()
    check(jax.jit(lookup)(*make()))
    check(lookup(*make()))

def backend_first_and_a_reload():
    jax.devices()
    import_library()
    check(jax.jit(lookup)(*make()))
    before = csr.tpu_sparse_dense_matmul_csr_primitive
    importlib.reload(csr)
    assert csr.tpu_sparse_dense_matmul_csr_primitive is not before
    check(jax.jit(lookup)(*make()))

def in_a_traced_function():
    def late(*operands):
        import_library()
        return lookup(*operands)
    check(jax.jit(late)(*make()))

def lowered_without_a_backend():
    import_library()
    traced = jax.jit(lookup).trace(*make())
    text = traced.lower(lowering_platforms=("tpu",)).as_text()
    assert "SparseDenseMatmulOp" in text and "sdykit" not in text
    lowered = traced.lower(lowering_platforms=("cpu",))
    assert "sdykit_sparsecore" in lowered.as_text()
    check(lowered.compile()(*make()))

def in_threads():
    threads = [threading.Thread(target=each) for each in (jax.devices, import_library)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(jax.jit(lookup)(*make()))

children = {}
for order in (library_first, backend_first_and_a_reload, in_a_traced_function,
              lowered_without_a_backend, in_threads):
    child = os.fork()
    if child:
        children[child] = order.__name__
        continue
    try:
        order()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
print({name: os.waitpid(child, 0)[1] for child, name in children.items()})
"""


def test_lowerings_are_registered_before_a_program_uses_them(tmp_path: Path) -> None:
    assert run_with_plugin(tmp_path, LOOKUP, ORDERS) == (
        "{'library_first': 0, 'backend_first_and_a_reload': 0, 'in_a_traced_function': 0, "
        "'lowered_without_a_backend': 0, 'in_threads': 0}\n"
    )


WRONG = """
import_library()
def tell(*operands):
    try:
        jax.jit(lookup)(*operands).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        print(error)
tell(*make(bad_id=1000))
tell(*make(bad_id=-1))
*rest, table = make()
table[17, 3] = np.nan
tell(*rest, table)
check(jax.jit(lookup)(*make()))
"""


def test_flags_turn_checks_on(tmp_path: Path) -> None:
    output = run_with_plugin(
        tmp_path,
        LOOKUP,
        WRONG,
        XLA_FLAGS="--xla_sc_assert_level=bounds --xla_cpu_enable_fast_math=false",
        SDYKIT_FLAGS="--xla_sc_detect_nan",
    )
    begin = "INVALID_ARGUMENT: sparse_dense_matmul_csr: embedding_table float32[64,8]: "
    nowhere = f"{begin}embedding_ids: device 0, SparseCore 0, position 8: row "
    large, negative, not_a_number = output.splitlines()
    assert large.startswith(f"{nowhere}1000 of partition 1, which has 16 rows: id 4001 ")
    assert negative.startswith(f"{nowhere}-1 of partition 1, which has 16 rows: id -3 ")
    assert not_a_number == f"{begin}NaN read from table at or after [17, 0]"


EIGHT = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax, jax.numpy as jnp
from jax.sharding import PartitionSpec as P
mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
def step(x, _):
    everywhere = jax.lax.all_gather(x, "x", tiled=True)
    mine = jax.lax.psum_scatter(everywhere, "x", tiled=True)
    return jax.lax.all_to_all(mine.reshape(8, -1), "x", 0, 0).reshape(-1) / 8, None
many = lambda x: jax.lax.scan(step, x, None, length=50)[0]
run = jax.jit(jax.shard_map(many, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))
x = jnp.arange(512.0)
print(jnp.abs(run(x).sum() - x.sum()) < 1, os.environ["NPROC"])
"""


def test_eight_devices_do_not_hang(tmp_path: Path) -> None:
    assert run_with_plugin(tmp_path, EIGHT) == "True 16\n"


def test_programs_of_jax_alone_are_unchanged(tmp_path: Path) -> None:
    # It runs as a file, which the process that it starts imports.
    file = str(Path(__file__).parents[2] / "support/jax_tpu_embedding/plain_jax.py")

    def run(setting: str) -> str:
        directory = tmp_path / setting
        directory.mkdir()
        program = f"""
        import os, sys
        os.chdir({str(directory)!r})
        os.execv(sys.executable, [sys.executable, {file!r}])
        """
        run_with_plugin(directory, program, SDYKIT_PLUGIN=setting)
        return (directory / "found.txt").read_text()

    with ThreadPoolExecutor(2) as pool:
        on, off = pool.map(run, ("on", "off"))
    assert on == off
    assert len(on.splitlines()) == 19
