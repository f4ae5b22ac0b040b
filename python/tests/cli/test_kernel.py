"""`sdykit kernel` as a user runs it: the stages of kernels, and what is said about bad input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sdykit.sparsecore as sc
from sdykit.bridge import user_files
from sdykit.cli.main import main
from sdykit.sparsecore.mosaic.kernel import read_kernel

Run = Callable[..., tuple[int, str, str]]

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "kernels"

MINE = """\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

print("a line of the file")
mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1)
held = [pltpu.VMEM((64,), jnp.float32)]

@pl.kernel(out_type=jax.ShapeDtypeStruct((1024,), jnp.float32), mesh=mesh, scratch_types=held)
def part(x, out, held):
    at = jax.lax.axis_index("subcore") * 4
    pltpu.sync_copy(x.at[pl.ds(at, 64)], held)
    pltpu.sync_copy(held, out.at[pl.ds(0, 64)])

@pl.kernel(out_type=jax.ShapeDtypeStruct((1024,), jnp.float32), mesh=mesh,
           scratch_types=[pltpu.VMEM((1 << 20,), jnp.float32)])
def large(x, out, held):
    pltpu.sync_copy(x, out)

@pl.kernel(out_type=jax.ShapeDtypeStruct((1024,), jnp.float32), mesh=mesh, scratch_types=held)
def wrong(x, out, held):
    held[...] = x[pl.ds(0, 64)]

def both(x):
    return part(part(large_free(x)))

def large_free(x):
    return part(x) + 1

def plain(x):
    return x + 1

def fails(x):
    return undefined + x

def nothing():
    return part(jnp.zeros(1024))
"""


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """Run `sdykit kernel` in this process, in a folder with `mine.py`."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.chdir(tmp_path)
    # A process that is forked once JAX has threads may wait for ever.
    monkeypatch.setattr("sdykit.cli.main.guarded", lambda work, _: work(lambda _: None))

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["kernel", *arguments])
        found = capfd.readouterr()
        return code, found.out, found.err

    yield call
    sc.configure()


def test_summary(run: Run) -> None:
    code, out, err = run(f"{EXAMPLES / 'gather.py'}:gather", "--chip", "7x")
    assert (code, err) == (0, "")
    assert out.splitlines()[:6] == [
        "kernel 'gather' on 7x: 2 SparseCores of 16 vector subcores, vectors of 16 lanes",
        "  gather: 32 vector subcores",
        "    operand  1000x128xf32 in hbm",
        "    operand  4096xi32 in hbm",
        "    result   4096x128xf32 in hbm",
        "    vmem, of each subcore: 132096 of 524288 bytes",
    ]
    assert out.splitlines()[-1] == "  machine code: yes"


def test_summary_of_scalar_and_vector_subcores(run: Run) -> None:
    code, out, _ = run(f"{EXAMPLES / 'scalar_and_vector.py'}:squares", "--chip", "v5p")
    assert code == 0
    bring, work = out.split("  work: ")
    assert "bring: 4 scalar subcores" in bring
    assert "vmem," not in bring  # That is the vector subcores'.
    assert work.startswith("64 vector subcores")
    assert "vmem, of each subcore: 4096 of 524288 bytes" in work


def test_what_a_chip_may_refuse_is_shown(run: Run) -> None:
    code, out, err = run("mine.py:part", "--shapes", "f32[1024]")
    assert (code, err) == (0, "a line of the file\n")
    assert out.splitlines()[-1] == (
        "warning: mine.py:14: kernel 'part': a slice of a 1-D array in HBM begins at a multiple of 4; a "
        "chip's compiler expects a multiple of 8 elements: pad the parts of the array"
    )


def test_stages(run: Run, tmp_path: Path) -> None:
    stages = {}
    for emit in ("mosaic", "tile", "llvm", "asm"):
        code, stages[emit], err = run(f"{EXAMPLES / 'gather.py'}:gather", "--emit", emit)
        assert (code, err) == (0, "")
    assert read_kernel(stages["mosaic"], "gather").functions[0].name == "gather"
    assert 'loc("gather.py":' in stages["mosaic"]
    assert "tpu." not in stages["tile"]
    assert "define " in stages["llvm"]
    assert ".text" in stages["asm"]
    code, out, _ = run(f"{EXAMPLES / 'gather.py'}:gather", "--emit", "mosaic", "-o", "g.mlir")
    assert (code, out) == (0, "")
    assert (tmp_path / "g.mlir").read_text() == stages["mosaic"]


@pytest.mark.parametrize(
    "name", ["add_one", "deduplicate", "embedding_bag", "histogram", "int4_rows", "ragged_gather"]
)
def test_checks_of_examples_use_all_threads_and_compare_no_iterations(run: Run, name: str) -> None:
    code, tile, err = run(f"{EXAMPLES / name}.py:{name}", "--emit", "tile", "--chip", "7x")
    assert (code, err) == (0, "")
    assert "sparsecore.apart" in tile
    assert "call @sc_touch" in tile
    assert "call @sc_loop_begin" not in tile


def test_equal_kernels_of_a_function_are_shown_once(run: Run) -> None:
    _, out, _ = run("mine.py:both", "--shapes", "f32[1024]")
    assert out.count("kernel 'part' on") == 1


def test_two_files_of_one_name_are_two_modules(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    with_class = "\n@dataclasses.dataclass\nclass Sizes:\n    count: 'int' = 64\n"
    text = MINE.replace("import jax\n", "import dataclasses\nimport jax\n", 1) + with_class
    (folder / "mine.py").write_text(text.replace("def part(", "def other_part("))
    shapes = ("--shapes", "f32[1024]")
    for file, name in (("mine.py", "part"), ("other/mine.py", "other_part"), ("mine.py", "part")):
        code, out, _ = run(f"{file}:{name}", *shapes)
        assert (code, out.splitlines()[0][: 9 + len(name)]) == (0, f"kernel '{name}'")
    first, second = (user_files.read_file(f"{each}mine.py") for each in ("", "other/"))
    assert first.__name__ != second.__name__
    assert sys.modules[first.__name__] is first
    assert sys.modules[second.__name__] is second
    assert sys.path.count(str(folder)) == 1


def test_a_function_without_arguments(run: Run) -> None:
    code, out, _ = run("mine.py:nothing")
    assert (code, out.splitlines()[0][:13]) == (0, "kernel 'part'")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["mine.py"], "found 'mine.py'; expected FILE:FUNCTION"),
        (["none.py:f"], "'none.py' is no file; expected FILE:FUNCTION"),
        (["mine.py:prat", "--shapes=f32[8]"], "mine.py: there is no function 'prat'"),
        (
            ["mine.py:part"],
            "mine.py: nothing says what the arguments are; expected --shapes, such as "
            "--shapes='f32[32,16] s32[8]', or a function example_arguments() in the file that "
            "returns them",
        ),
        (
            ["mine.py:part", "--shapes=f32[x]"],
            "--shapes: cannot read 'f32[x]'; expected such as 'f32[32,16] s32[8]'",
        ),
        (
            ["mine.py:part", "--shapes=q7[8]"],
            "--shapes: 'q7' is no dtype; expected such as f32, bf16, s32, s8 or bool",
        ),
        (
            ["mine.py:plain", "--shapes=f32[8]"],
            "mine.py: plain runs no kernel on a SparseCore; expected a call of pl.kernel(..., "
            "mesh=...) with a mesh of jax.experimental.pallas.tpu_sc",
        ),
        (
            ["mine.py:fails", "--shapes=f32[8]"],
            "mine.py:36: NameError: name 'undefined' is not defined",
        ),
        (
            ["mine.py:large", "--shapes=f32[1024]"],
            "kernel 'large': the VMEM of a subcore would take 4194304 bytes; v5p has 524288: scratch 0 "
            "(4194304)",
        ),
        (["mine.py:part", "--shapes=f32[1024]", "--chip=v9"], "v9"),
        (["mine.py:wrong", "--shapes=f32[1024]"], "mine.py:24: NotImplementedError: Get does not"),
    ],
)
def test_errors(run: Run, arguments: list[str], text: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert text in err
    assert "Traceback" not in err


def test_an_error_of_the_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import jax\nx = (\n")
    assert "broken.py:2: SyntaxError" in run("broken.py:f")[2]
    (tmp_path / "exits.py").write_text("import sys\n\nsys.exit(3)\n")
    assert "exits.py:3: SystemExit: 3" in run("exits.py:f")[2]


def test_what_is_not_compiled(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from sdykit.sparsecore.mosaic import lowering, summary

    def refuse(*_: object) -> None:
        raise lowering.NotLowered("vectors of wood", "mine.py:7")

    monkeypatch.setattr(lowering, "lower", refuse)
    monkeypatch.setattr(summary, "lower", refuse)
    _, out, _ = run("mine.py:part", "--shapes", "f32[1024]")
    assert "machine code: no: vectors of wood, at mine.py:7; it runs op by op" in out
    code, _, err = run("mine.py:part", "--shapes", "f32[1024]", "--emit", "tile")
    assert code == 1
    assert "kernel 'part' is not compiled: vectors of wood, at mine.py:7" in err


def test_in_a_process_of_its_own(sdykit: Callable, tmp_path: Path) -> None:
    source = (EXAMPLES / "add_one.py").read_text()
    # Parts of numpy are there for the file.
    checked = "\nnp.testing.assert_array_equal(np.linalg.norm([3, 4]), 5)\n"
    (tmp_path / "add_one.py").write_text(source + checked)
    result = sdykit("kernel", "add_one.py:add_one", "--chip", "v6e")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("kernel 'add_one' on v6e: 2 SparseCores of 16 vector subcores")
