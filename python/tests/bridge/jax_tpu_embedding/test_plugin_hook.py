"""Actions on modules that others import: order, loaders, reloads, threads."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import inspect
import itertools
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sdykit.bridge.plugin.import_hook import watch

_numbers = itertools.count()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a name of its own and two modules; what is imported of it goes again."""
    directory = tmp_path / f"watched{next(_numbers)}"
    directory.mkdir()
    (directory / "__init__.py").write_text("")
    (directory / "one.py").write_text("value = 1\n")
    (directory / "two.py").write_text("from . import one\nvalue = one.value + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    yield directory
    for name in [name for name in sys.modules if name.partition(".")[0] == directory.name]:
        del sys.modules[name]


Seen = list[tuple[str, Any]]


def _noting(seen: Seen) -> Callable[[ModuleType], None]:
    return lambda module: seen.append((module.__name__, getattr(module, "value", None)))


def _watch(*names: str) -> Seen:
    seen: Seen = []
    watch(dict.fromkeys(names, _noting(seen)))
    return seen


def test_functions_run_for_modules_imported_before_or_after(package: Path) -> None:
    one, two = f"{package.name}.one", f"{package.name}.two"
    importlib.import_module(one)
    seen = _watch(one, two, f"{package.name}.lacking")
    assert seen == [(one, 1)]
    importlib.import_module(two)
    importlib.import_module(one)
    assert seen == [(one, 1), (two, 2)]


def test_submodules_and_packages_can_be_watched(package: Path) -> None:
    two = f"{package.name}.two"
    seen = _watch(package.name, two, f"{package.name}.one")
    importlib.import_module(two)
    assert seen == [(package.name, None), (f"{package.name}.one", 1), (two, 2)]


def test_a_reload_calls_the_function_again(package: Path) -> None:
    name = f"{package.name}.one"
    seen = _watch(name)
    module = importlib.import_module(name)
    (package / "one.py").write_text("value = 1_000\n")
    importlib.reload(module)
    assert seen == [(name, 1), (name, 1000)]


def test_a_watched_module_keeps_its_loader(package: Path) -> None:
    name = f"{package.name}.one"
    plain = importlib.util.find_spec(name)
    assert plain is not None
    seen = _watch(name)
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert (spec.name, spec.origin, spec.cached) == (plain.name, plain.origin, plain.cached)
    assert (spec.parent, spec.has_location) == (plain.parent, plain.has_location)
    assert not seen, "nothing was imported"
    module = importlib.import_module(name)
    assert type(module.__loader__) is SourceFileLoader
    assert inspect.getsource(module) == "value = 1\n"
    assert importlib.util.find_spec(name) is module.__spec__
    assert importlib.util.find_spec(f"{package.name}.lacking") is None


def test_a_module_that_fails_is_not_changed(package: Path) -> None:
    name = f"{package.name}.bad"
    (package / "bad.py").write_text("raise ValueError('mine')\n")
    seen = _watch(name, f"{package.name}.lacking")
    with pytest.raises(ValueError, match=r"^mine$"):
        importlib.import_module(name)
    assert name not in sys.modules
    with pytest.raises(ModuleNotFoundError, match=rf"^No module named '{package.name}.lacking'$"):
        importlib.import_module(f"{package.name}.lacking")
    assert not seen


def test_modules_of_a_zip_file_can_be_watched(tmp_path: Path, package: Path) -> None:
    # Its loader is one for the whole file: an action must not be one of its neighbours too.
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("zipped_a.py", "value = 1\n")
        archive.writestr("zipped_b.py", "value = 2\n")
    sys.path.insert(0, str(path))
    try:
        seen = _watch("zipped_a")
        for name in ("zipped_b", "zipped_a"):
            importlib.import_module(name)
        assert seen == [("zipped_a", 1)]
    finally:
        for name in ("zipped_a", "zipped_b"):
            sys.modules.pop(name, None)
        sys.path.remove(str(path))


def test_other_finders_still_work(package: Path) -> None:
    name = f"{package.name}.virtual"

    class Other(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
            return importlib.util.spec_from_loader(name, self) if fullname == name else None

        def exec_module(self, module: ModuleType) -> None:
            module.value = "virtual"  # pyright: ignore[reportAttributeAccessIssue]

    first, second = _watch(name), _watch(name)
    sys.meta_path.append(Other())
    importlib.import_module(name)
    assert first == second == [(name, "virtual")]


def test_lazy_modules_can_be_watched(package: Path) -> None:
    name = f"{package.name}.one"
    seen = _watch(name)
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert not seen
    assert module.value == 1
    assert seen == [(name, 1)]


def test_a_module_can_be_watched_while_it_is_imported(package: Path) -> None:
    # A module of the library, or one that imports it, may start a backend while it runs.
    name = f"{package.name}.starts"
    (package / "starts.py").write_text(f"import {package.name}_hook\nvalue = 'complete'\n")
    hook = ModuleType(f"{package.name}_hook")
    seen: Seen = []

    class Starts(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
            if fullname == hook.__name__:
                return importlib.util.spec_from_loader(fullname, self)
            return None

        def exec_module(self, module: ModuleType) -> None:
            watch({name: _noting(seen)})
            assert not seen, "the module is not complete"

    sys.meta_path.append(Starts())
    try:
        module = importlib.import_module(name)
        assert seen == [(name, "complete")]
        importlib.reload(module)
        assert seen == [(name, "complete")] * 2
    finally:
        sys.modules.pop(hook.__name__, None)


@pytest.mark.parametrize("ending", ["value = 'complete'\n", "raise ValueError('mine')\n"])
def test_a_module_can_be_watched_while_another_thread_imports_it(
    package: Path, ending: str
) -> None:
    name = f"{package.name}.slow"
    (package / "slow.py").write_text(
        f"import sys\nsys.modules[{package.name!r}].meet()\nsys.modules[{package.name!r}].meet()\n"
        + ending
    )
    meeting = threading.Barrier(2, timeout=30)
    importlib.import_module(package.name).meet = meeting.wait  # pyright: ignore
    errors: list[BaseException] = []

    def imports() -> None:
        try:
            importlib.import_module(name)
        except ValueError as error:
            errors.append(error)

    thread = threading.Thread(target=imports)
    thread.start()
    meeting.wait()
    seen = _watch(name)  # It must neither wait for the import, nor act too early.
    assert not seen
    meeting.wait()
    thread.join(30)
    expected = ([], ["mine"]) if "raise" in ending else ([(name, "complete")], [])
    assert (seen, [str(error) for error in errors]) == expected


def test_many_threads_can_import_at_once(package: Path) -> None:
    names = [f"{package.name}.m{number}" for number in range(8)]
    for name in names:
        (package / f"{name.rpartition('.')[2]}.py").write_text("from . import one\nvalue = 0\n")
    seen = _watch(*names)
    start = threading.Barrier(8, timeout=30)

    def imports(shift: int) -> None:
        start.wait()
        for name in names[shift:] + names[:shift]:
            importlib.import_module(name)

    threads = [threading.Thread(target=imports, args=(shift,)) for shift in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(seen) == [(name, 0) for name in names]


class _Frozen:
    """A finder whose loader is the class itself, as importlib's own for frozen modules."""

    names: tuple[str, ...] = ()

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> Any:
        own: Any = cls
        return ModuleSpec(name, own) if name in cls.names else None

    @classmethod
    def create_module(cls, spec: Any) -> None:
        return None

    @classmethod
    def exec_module(cls, module: Any) -> None:
        module.value = 7


class _Closed(importlib.abc.Loader):
    """A loader that takes no attribute."""

    __slots__ = ()

    def exec_module(self, module: Any) -> None:
        module.value = 8

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} is read-only")


def test_a_loader_that_cannot_be_changed_is_no_error(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched, other, closed = (f"{package.name}.{name}" for name in ("frozen", "other", "closed"))
    monkeypatch.setattr(_Frozen, "names", (watched, other))

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
            return ModuleSpec(name, _Closed()) if name == closed else None

    finders: list[Any] = [_Frozen, Finder()]
    sys.meta_path[:0] = finders
    seen = _watch(watched, closed)
    assert [importlib.import_module(name).value for name in (watched, other, closed)] == [7, 7, 8]
    assert seen == [(watched, 7), (closed, 8)]
