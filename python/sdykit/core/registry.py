"""Finding passes and pipelines by name: by the name of their file, without a list.

`passes/<family>/<stem>.py` holds the pass `<prefix>-<stem with dashes>`, where the prefix
is the first word of the family (`async_hlo` -> `async-`). A family's named pipelines stand
in its `pipeline.py`. Files are imported when a name in them is asked for.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from sdykit.core.options import option_specs
from sdykit.core.pass_base import FunctionPass, ModulePass, Pass, Pipeline
from sdykit.core.suggestions import nearest
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.errors import PassLoadError, PipelineError

PassClass = type[Pass] | type[Pipeline]

_PASSES = "sdykit.passes"
"""Imported by name only: passes import `core`, never the other way round."""

_PIPELINE_STEM = "pipeline"
_BASES = (ModulePass, FunctionPass, Pipeline)
_USER_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class Registry:
    """The passes that a pipeline can name: the built-in ones and those a user loads."""

    def __init__(self) -> None:
        self._loaded: dict[str, PassClass] = {}

    def names(self) -> list[str]:
        """Give the names of all our passes and pipelines, sorted; imports pipelines only."""
        names = [_pass_name(path) for path in _pass_files()]
        names += [name for path in _pipeline_files() for name in _defined(_import_file(path))]
        return sorted({*names, *self._loaded})

    def find(self, name: str) -> PassClass | None:
        """Find a class by its pass name; underscores stand for dashes. None: not ours."""
        name = name.replace("_", "-")
        if name in self._loaded:
            return self._loaded[name]
        path = _path_of(name)
        return _defined(_import_file(path)).get(name) if path else None

    def get(self, name: str, others: Iterable[str] = ()) -> PassClass:
        """Find a class by its pass name.

        Args:
            name: the name.
            others: names of other kinds that the user may have meant.

        Raises:
            PipelineError: there is no such pass; the nearest name is suggested.
        """
        found = self.find(name)
        if found is None:
            raise PipelineError(self.unknown(name, others))
        return found

    def is_loaded(self, name: str) -> bool:
        """Return whether a pass or pipeline is one that the user has loaded."""
        return name in self._loaded

    def unknown(self, name: str, others: Iterable[str] = ()) -> str:
        """Say that a pass is unknown, with the nearest name."""
        close = nearest(name, [*self.names(), *UPSTREAM_PASSES, *others])
        hint = f"; did you mean '{close}'?" if close else "; --list-passes lists them"
        return f"unknown pass '{name}'{hint}"

    def load(self, file: str | Path) -> list[str]:
        """Import a user's pass file and register every pass and pipeline defined in it.

        Returns:
            The names registered.

        Raises:
            PassLoadError: the file cannot be read or run, defines no pass, two of one name, or
                a pass whose name is taken or missing.
        """
        path = Path(file)
        classes = _pass_classes(_import_user_file(path))
        if not classes:
            raise PassLoadError(
                f"{path}: defines no pass: expected a subclass of ModulePass or FunctionPass"
                " with a `name`"
            )
        _check_classes(path)
        found: dict[str, PassClass] = {}
        for cls in classes:
            _check_user_pass(path, cls)
            if cls.name in found:
                first = found[cls.name].__name__
                raise PassLoadError(
                    f"{path}: {first} and {cls.__name__} both have the name '{cls.name}';"
                    " give each pass its own"
                )
            self._check_free(path, cls.name)
            found[cls.name] = cls
        self._loaded |= found
        return list(found)

    def _check_free(self, path: Path, name: str) -> None:
        known = self.find(name)
        if known is None and name not in UPSTREAM_PASSES:
            return
        where = "in jaxlib, in C++"
        if known is not None:
            where = f"in {inspect.getsourcefile(known)}"
        raise PassLoadError(f"{path}: pass '{name}' exists already, {where}; choose another name")


def _families() -> list[Path]:
    return sorted(
        child
        for root in importlib.import_module(_PASSES).__path__
        for child in Path(root).iterdir()
        if child.is_dir() and child.name.isidentifier() and child.name != "__pycache__"
    )


def _pass_files() -> list[Path]:
    return [
        path
        for family in _families()
        for path in sorted(family.glob("*.py"))
        if path.stem != _PIPELINE_STEM and not path.stem.startswith("_")
    ]


def _pipeline_files() -> list[Path]:
    paths = (family / f"{_PIPELINE_STEM}.py" for family in _families())
    return [path for path in paths if path.exists()]


def _prefix(family: str) -> str:
    return family.partition("_")[0]


def _pass_name(path: Path) -> str:
    return f"{_prefix(path.parent.name)}-{path.stem.replace('_', '-')}"


def _path_of(name: str) -> Path | None:
    stem = _PIPELINE_STEM if name.endswith("-pipeline") else None
    for family in _families():
        prefix = _prefix(family.name) + "-"
        if not name.startswith(prefix):
            continue
        file = stem or name.removeprefix(prefix).replace("-", "_")
        if not file.isidentifier() or file.startswith("_"):
            continue
        path = family / f"{file}.py"
        if path.exists():
            return path
    return None


def _import_file(path: Path) -> ModuleType:
    return importlib.import_module(f"{_PASSES}.{path.parent.name}.{path.stem}")


def _defined(module: ModuleType) -> dict[str, PassClass]:
    """Give the passes and pipelines that a module itself defines, by name."""
    return {cls.name: cls for cls in _pass_classes(module)}


def _pass_classes(module: ModuleType) -> list[PassClass]:
    """List the classes of passes and pipelines that a module itself defines, each once."""
    classes = [
        cls
        for cls in vars(module).values()
        if inspect.isclass(cls)
        and issubclass(cls, _BASES)
        and cls.__module__ == module.__name__
        and hasattr(cls, "name")
    ]
    return list(dict.fromkeys(classes))


def _check_classes(path: Path) -> None:
    """Refuse a file whose top level defines a class twice: the first would be lost in silence."""
    lines: dict[str, int] = {}
    for node in ast.parse(path.read_bytes()).body:
        if not isinstance(node, ast.ClassDef):
            continue
        first = lines.setdefault(node.name, node.lineno)
        if first != node.lineno:
            raise PassLoadError(
                f"{path}:{node.lineno}: class {node.name} is defined already, at line {first};"
                " choose another name"
            )


def _check_user_pass(path: Path, cls: PassClass) -> None:
    if not isinstance(cls.name, str) or not _USER_NAME.fullmatch(cls.name):
        raise PassLoadError(
            f"{path}: the name of {cls.__name__} is {cls.name!r}; expected lower-case words"
            " joined by dashes, such as 'count-constraints'"
        )
    method = "passes" if issubclass(cls, Pipeline) else "run"
    inherited = any(getattr(cls, method) is getattr(base, method, None) for base in _BASES)
    # A pass may be for HLO text alone: then it has `run_hlo`.
    if inherited and not hasattr(cls, "run_hlo"):
        raise PassLoadError(f"{path}: {cls.__name__} does not define {method}()")
    option_specs(cls)


def _import_user_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise PassLoadError(f"{path}: no such pass file")
    # Two files may have the same name, in two directories.
    name = f"sdykit_user_{path.stem}_{len(sys.modules)}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PassLoadError(f"{path}: not a Python file (expected the ending .py)")
    module = importlib.util.module_from_spec(spec)
    # dataclasses look up their module by name while the file runs.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        line = f":{error.lineno}:{error.offset}" if error.lineno else ""
        raise PassLoadError(f"{path}{line}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
        line = f":{frames[-1].lineno}" if frames else ""
        raise PassLoadError(f"{path}{line}: {type(error).__name__}: {error}") from error
    return module
