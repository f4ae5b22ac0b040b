"""The directory of cached objects has a bound; what was used longest ago goes first."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.sparsecore.codegen import Interface, ObjectCache
from sdykit.sparsecore.codegen.cache import CachedObject, files, pruning

INTERFACE = Interface(entry="f", arguments=(), phase_count=1, scratch_bytes=0)


def entry(size: int = 1000) -> CachedObject:
    return CachedObject(INTERFACE, "module", "llvm", (b"x" * size,))


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins as a process that has written nothing and warned of nothing."""
    monkeypatch.setattr(pruning, "_written", {})
    monkeypatch.setattr(files, "_unusable", set())


def age(directory: Path, key: str, seconds: int) -> None:
    path = directory / f"{key}.obj"
    used = path.stat().st_mtime - seconds
    os.utime(path, (used, used))


def keys(directory: Path) -> set[str]:
    return {path.stem for path in directory.glob("*.obj")}


def size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.iterdir())


def test_the_least_recently_used_files_are_removed_first(tmp_path: Path) -> None:
    for number in range(8):
        ObjectCache(tmp_path).store(f"k{number}", entry())
        age(tmp_path, f"k{number}", 1000 - number)
    one = size(tmp_path) // 8
    assert ObjectCache(tmp_path).load("k0") == entry()  # Now the last one used.
    pruning._written.clear()
    ObjectCache(tmp_path, max_bytes=4 * one + one // 2).store("new", entry())
    assert keys(tmp_path) == {"k0", "k6", "k7", "new"}


def test_nothing_is_removed_below_the_bound(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=1 << 20)
    for number in range(20):
        cache.store(f"k{number}", entry())
        pruning._written.clear()
    assert len(keys(tmp_path)) == 20


def test_the_size_stays_near_the_bound(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=100_000)
    for number in range(400):
        cache.store(f"k{number}", entry())
        assert size(tmp_path) <= 100_000 * 17 / 16 + 2000
    assert size(tmp_path) > 80_000


def test_the_directory_is_listed_rarely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Path] = []
    look = pruning._prune
    monkeypatch.setattr(
        pruning, "_prune", lambda path, most: looks.append(path) or look(path, most)
    )
    cache = ObjectCache(tmp_path, max_bytes=1 << 20)
    for number in range(200):
        cache.store(f"k{number}", entry())
    assert 2 <= len(looks) <= 6


def test_old_unfinished_files_are_removed(tmp_path: Path) -> None:
    for name, hours in (("old", 2), ("new", 0)):
        path = tmp_path / f".{name}.part"
        path.write_bytes(b"x")
        used = path.stat().st_mtime - 3600 * hours
        os.utime(path, (used, used))
    (tmp_path / "notes.txt").write_text("not ours")
    ObjectCache(tmp_path, max_bytes=3000).store("k", entry())
    assert {path.name for path in tmp_path.iterdir()} == {".new.part", "k.obj", "notes.txt"}


def test_a_file_larger_than_the_bound_is_not_written(tmp_path: Path) -> None:
    ObjectCache(tmp_path, max_bytes=0).store("k", entry())
    ObjectCache(tmp_path, max_bytes=1000).store("k", entry(1000))
    assert not list(tmp_path.iterdir())


CHILD = """
import sys
from pathlib import Path
from sdykit.sparsecore.codegen import Interface, ObjectCache
from sdykit.sparsecore.codegen.cache import CachedObject
cache, own = ObjectCache(Path(sys.argv[1]), max_bytes=50_000), sys.argv[2]
interface = Interface(entry="f", arguments=(), phase_count=1, scratch_bytes=0)
for number in range(300):
    text = f"{own} {number}"
    cache.store(f"{own}-{number}", CachedObject(interface, text, "", (b"x" * 1000,)))
    for other in "abcd":
        found = cache.load(f"{other}-{number}")
        assert found is None or found.module == f"{other} {number}"
"""


def test_several_processes_can_prune_one_directory(tmp_path: Path) -> None:
    """They write, read and remove at the same time; none fails or warns, and the bound holds."""
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path), own],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for own in "abcd"
    ]
    assert [child.communicate()[0] for child in children] == [""] * 4
    assert [child.returncode for child in children] == [0] * 4
    assert size(tmp_path) <= 50_000 * (1 + 4 / 16) + 8000


def test_a_directory_that_cannot_be_used_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            cache = ObjectCache(tmp_path / "file" / "objects")
            assert cache.load(f"k{number}") is None
            cache.store(f"k{number}", entry())
    (record,) = caplog.records
    assert record.getMessage() == (
        f"cannot read compiled programs in {tmp_path}/file/objects: Not a directory; each process "
        "compiles those that it uses. SDYKIT_CACHE_DIR names another directory"
    )
