"""The object cache: hits, damage, two processes, directories that cannot be used."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import llvmlite
import numpy as np
import pytest

from sdykit.sparsecore import _machine
from sdykit.sparsecore.codegen import (
    ObjectCache,
    Program,
    compile_module,
    compile_source,
    compiler,
    run,
)
from sdykit.sparsecore.codegen.cache import keys
from sdykit.sparsecore.codegen.machine import host, objects

ROOT = Path(__file__).parents[4]
PROGRAM = """func.func @triple(%x: memref<?xi32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %scratch = memref.alloca() : memref<100xi8>
    %v = memref.load %x[%i] : memref<?xi32>
    %w = arith.muli %v, %three : i32
    memref.store %w, %x[%i] : memref<?xi32>
  }
  return
}
"""


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins as a process does that has compiled nothing."""
    monkeypatch.setattr(compiler, "_programs", {})


@pytest.fixture
def forget(monkeypatch: pytest.MonkeyPatch):
    return lambda: monkeypatch.setattr(compiler, "_programs", {})


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What has been handed to LLVM."""
    texts: list[str] = []
    original = objects.to_objects

    def counted(ir: str) -> tuple[bytes, ...]:
        texts.append(ir)
        return original(ir)

    monkeypatch.setattr(objects, "to_objects", counted)
    return texts


def check(program: Program) -> None:
    x = np.arange(5, dtype=np.int32)
    run(program, [x])
    assert x.tolist() == [0, 3, 6, 9, 12]


def test_equal_texts_return_the_same_program(compiled: list[str]) -> None:
    first = compile_module(PROGRAM, cache=None)
    assert compile_module(PROGRAM, cache=None) is first
    assert compile_module(PROGRAM + "\n", cache=None) is not first
    assert len(compiled) == 2


def test_threads_compile_a_program_once(compiled: list[str]) -> None:
    texts = [PROGRAM.replace("3 : i32", f"{k % 3} : i32") for k in range(24)]
    with ThreadPoolExecutor(8) as pool:
        programs = list(pool.map(lambda text: compile_module(text, cache=None), texts))
    assert len(compiled) == 3
    for k, program in enumerate(programs):
        x = np.arange(5, dtype=np.int32)
        run(program, [x], threads=2)
        assert x.tolist() == [k % 3 * i for i in range(5)]


def test_a_module_and_its_text_are_one_program(compiled: list[str]) -> None:
    from sdykit.mlir import ir, make_context

    module = ir.Module.parse(PROGRAM, make_context())
    first = compile_module(module, cache=None)
    assert compile_module(str(module).removesuffix("\n"), cache=None).interface == first.interface
    assert compile_module(first.module, cache=None) is first


def test_nothing_is_cached_once_the_sources_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forget
) -> None:
    cache = ObjectCache(tmp_path)
    monkeypatch.setattr(keys, "_LAST_CHANGE", keys.last_change() - 1)
    check(compile_module(PROGRAM, cache=cache))
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    forget()
    check(compile_module(PROGRAM, cache=cache))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_program_is_found_on_disk_by_another_process(
    tmp_path: Path, forget, compiled: list[str]
) -> None:
    cache = ObjectCache(tmp_path / "new" / "directory")
    first = compile_module(PROGRAM, cache=cache)
    check(first)
    (path,) = cache.directory.iterdir()
    assert path.suffix == ".obj"
    forget()
    again = compile_module(PROGRAM, cache=cache)
    assert again is not first
    assert again.interface == first.interface
    assert (again.llvm, again.objects, again.module) == (
        first.llvm,
        first.objects,
        first.module,
    )
    check(again)
    assert len(compiled) == 1


def test_a_source_is_compiled_once(tmp_path: Path, forget, compiled: list[str]) -> None:
    """Neither in this process nor in others is the module made again."""
    cache, made = ObjectCache(tmp_path), []

    def module() -> str:
        made.append(PROGRAM)
        return PROGRAM

    first = compile_source("triple", module, cache=cache)
    assert compile_source("triple", module, cache=cache) is first
    forget()
    again = compile_source("triple", module, cache=cache)
    check(again)
    assert again.module == first.module == PROGRAM
    assert (len(made), len(compiled)) == (1, 1)
    # The text of a program is another source than what it is made from.
    check(compile_module(PROGRAM, cache=cache))
    assert (len(made), len(compiled)) == (1, 2)
    assert len(list(tmp_path.iterdir())) == 2


def test_an_error_while_making_a_module_is_not_cached(tmp_path: Path) -> None:
    def module() -> str:
        raise LookupError("no such chip")

    for _ in range(2):
        with pytest.raises(LookupError, match=r"^no such chip$"):
            compile_source("triple", module, cache=ObjectCache(tmp_path))
    assert list(tmp_path.iterdir()) == []
    check(compile_source("triple", lambda: PROGRAM, cache=ObjectCache(tmp_path)))


NO_MLIR = """
import sys
from pathlib import Path
from sdykit.sparsecore.codegen import ObjectCache, compile_source
compile_source("triple", None, cache=ObjectCache(Path(sys.argv[1])))
print([name for name in ("sdykit.mlir", "sdykit.core", "jaxlib.mlir.ir") if name in sys.modules])
"""


def test_what_is_found_on_disk_needs_no_mlir(tmp_path: Path) -> None:
    compile_source("triple", lambda: PROGRAM, cache=ObjectCache(tmp_path))
    command = [sys.executable, "-c", NO_MLIR, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


DAMAGE = {
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "another file": lambda data: b"hello, world" * 100,
    "one bit": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "longer": lambda data: data + b"\0",
    "only the head": lambda data: data[:48],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_compiled_again_with_a_warning(
    damage: str,
    tmp_path: Path,
    forget,
    compiled: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    cache = ObjectCache(tmp_path)
    compile_module(PROGRAM, cache=cache)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[damage](whole))
    forget()
    with caplog.at_level(logging.WARNING):
        check(compile_module(PROGRAM, cache=cache))
    assert len(compiled) == 2
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert f"the cached object {path} is damaged" in record.getMessage()
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_renamed_to_another_key_counts_as_damaged(
    tmp_path: Path, forget, compiled: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """A file that was renamed is whole, but not what is looked for."""
    cache = ObjectCache(tmp_path)
    compile_module(PROGRAM, cache=cache)
    (path,) = tmp_path.iterdir()
    compile_module(PROGRAM.replace("3 : i32", "4 : i32"), cache=cache)
    (other,) = set(tmp_path.iterdir()) - {path}
    path.write_bytes(other.read_bytes())
    forget()
    with caplog.at_level(logging.WARNING):
        check(compile_module(PROGRAM, cache=cache))
    assert len(compiled) == 3
    assert f"the cached object {path} is damaged" in caplog.text


def test_a_file_in_place_of_the_directory_is_a_warning(
    tmp_path: Path, forget, caplog: pytest.LogCaptureFixture
) -> None:
    target = tmp_path / "file"
    target.write_text("mine")
    with caplog.at_level(logging.WARNING):
        check(compile_module(PROGRAM, cache=ObjectCache(target)))
    assert target.read_text() == "mine"
    assert [record.levelname for record in caplog.records] == ["WARNING"]


FULL = """
import logging, resource, sys
import numpy as np
from pathlib import Path
from sdykit.sparsecore.codegen import ObjectCache, compile_module, run
logging.basicConfig(stream=sys.stdout, format="%(message)s")
cache = ObjectCache(Path(sys.argv[2]))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
x = np.arange(5, dtype=np.int32)
run(compile_module(Path(sys.argv[1]).read_text(), cache=cache), [x])
print(x.tolist())
"""


def test_a_file_that_cannot_be_written_whole_is_not_left(tmp_path: Path) -> None:
    source, directory = tmp_path / "triple.mlir", tmp_path / "cache"
    source.write_text(PROGRAM)
    command = [sys.executable, "-c", FULL, str(source), str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    warning, result = done.stdout.splitlines()
    assert re.fullmatch(r"cannot write compiled programs in .*/cache: File too large; .*", warning)
    assert result == "[0, 3, 6, 9, 12]"
    assert list(directory.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs a directory that root cannot write")
def test_a_directory_that_cannot_be_made_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        check(compile_module(PROGRAM, cache=ObjectCache(Path("/proc/sdykit"))))
    (record,) = caplog.records
    assert record.getMessage().startswith("cannot write compiled programs in /proc/sdykit: ")


def test_processor_and_llvm_version_are_part_of_the_key(
    tmp_path: Path, forget, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = ObjectCache(tmp_path)
    compile_module(PROGRAM, cache=cache)
    forget()
    monkeypatch.setattr(_machine, "processor", lambda: [1, 2, 3])
    compile_module(PROGRAM, cache=cache)
    forget()
    monkeypatch.setattr(llvmlite, "__version__", "1.2.3")
    compile_module(PROGRAM, cache=cache)
    assert len(list(tmp_path.iterdir())) == 3


def test_without_numbers_of_the_processor_llvm_says_what_the_host_is(
    tmp_path: Path, forget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_machine, "processor", list)
    cache = ObjectCache(tmp_path)
    compile_module(PROGRAM, cache=cache)
    this = host.host()
    for other in (
        host.Host(this.triple, "other", this.features, this.llvm_version),
        host.Host(this.triple, this.cpu, "+other", this.llvm_version),
        host.Host(this.triple, this.cpu, this.features, (1, 2, 3)),
    ):
        forget()
        monkeypatch.setattr(host, "host", lambda other=other: other)
        compile_module(PROGRAM, cache=cache)
    assert len(list(tmp_path.iterdir())) == 4


CHILD = """
import sys
import numpy as np
from pathlib import Path
from sdykit.sparsecore.codegen import ObjectCache, compile_module, run
text = Path(sys.argv[1]).read_text()
for k in range(8):
    program = compile_module(text.replace("3 : i32", f"{k} : i32"), cache=ObjectCache(Path(sys.argv[2])))
    x = np.arange(5, dtype=np.int32)
    run(program, [x])
    assert x.tolist() == [k * i for i in range(5)], (k, x)
"""


def test_processes_can_share_a_directory(tmp_path: Path) -> None:
    source, directory = tmp_path / "triple.mlir", tmp_path / "cache"
    source.write_text(PROGRAM)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-c", CHILD, str(source), str(directory)]
    for _ in range(2):  # The second time, all are found.
        running = [
            subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) for _ in range(3)
        ]
        for process in running:
            _, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors.decode()
            assert errors == b""
    assert len(list(directory.glob("*.obj"))) == 8
    assert len(list(directory.iterdir())) == 8
