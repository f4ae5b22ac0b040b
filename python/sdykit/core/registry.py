"""Find passes and pipelines by name: the name of their module, without a list.

The module `passes/<family>/<module>.py`, or the package `passes/<family>/<module>/` of a pass that
takes several modules, defines the pass `<prefix>-<module with dashes>`; the prefix is the first
word of the family (`async_hlo` -> `async-`). The module `pipeline` of a family defines its named
pipelines. Modules and packages whose names start with an underscore are shared by the passes of a
family, and define none. A module is imported when a name in it is looked up.
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
from sdykit.core.sdy.user_rules import user_rules
from sdykit.core.suggestions import nearest
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.errors import PassLoadError, PipelineError

PassClass = type[Pass] | type[Pipeline]

_PASSES = "sdykit.passes"
"""Imported by name only: passes import `core`, and `core` must not import passes."""

_PIPELINE = "pipeline"
_BASES = (ModulePass, FunctionPass, Pipeline)
_USER_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class Registry:
    """The passes that a pipeline can name: the built-in ones and those a user loads."""

    def __init__(self) -> None:
        self._loaded: dict[str, PassClass] = {}

    def names(self) -> list[str]:
        """Return the names of all our passes and pipelines, sorted; imports pipelines only."""
        names = set(self._loaded)
        for family in _families():
            modules = _module_names(family)
            if _PIPELINE in modules:
                modules.remove(_PIPELINE)
                names.update(_defined(_import(family, _PIPELINE)))
            names.update(_pass_name(family, module) for module in modules)
        return sorted(names)

    def find(self, name: str) -> PassClass | None:
        """Return the class of a pass of ours by its name, with dashes or underscores; else None."""
        name = name.replace("_", "-")
        if name in self._loaded:
            return self._loaded[name]
        module = _module_of(name)
        return _defined(module).get(name) if module else None

    def get(self, name: str, others: Iterable[str] = ()) -> PassClass:
        """Return the class of a pass by its name.

        Args:
            name: the name, with dashes or underscores.
            others: names of other passes that may be suggested for an unknown one.

        Raises:
            PipelineError: there is no such pass; the message suggests the most similar name.
        """
        found = self.find(name)
        if found is None:
            raise PipelineError(self.unknown(name, others))
        return found

    def is_loaded(self, name: str) -> bool:
        """Return whether the user has loaded a pass or pipeline of a name."""
        return name in self._loaded

    def unknown(self, name: str, others: Iterable[str] = ()) -> str:
        """Return the error text for an unknown pass, with the most similar name."""
        close = nearest(name, [*self.names(), *UPSTREAM_PASSES, *others])
        hint = f"; did you mean '{close}'?" if close else "; --list-passes lists them"
        return f"unknown pass '{name}'{hint}"

    def load(self, file: str | Path) -> list[str]:
        """Import a user's file and register every pass, pipeline and sharding rule defined in it.

        Returns:
            The names of the passes and pipelines.

        Raises:
            PassLoadError: the file cannot be read or run, defines nothing, defines two passes of one
                name, or one whose name is taken or missing.
        """
        path = Path(file)
        rules = user_rules()
        classes = _pass_classes(_import_user_file(path))
        if not classes and user_rules() == rules:
            raise PassLoadError(
                f"{path}: defines no pass and no sharding rule: expected a subclass of ModulePass or"
                " FunctionPass with a `name`, or a function with @sharding_rule(...)"
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


def _module_names(family: Path) -> set[str]:
    """Return the names of a family's modules and packages, but for those that passes share."""
    found = {path.stem for path in family.glob("*.py")}
    found |= {path.parent.name for path in family.glob("*/__init__.py")}
    return set(filter(_is_module_name, found))


def _is_module_name(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_")


def _prefix(family: Path) -> str:
    return family.name.partition("_")[0] + "-"


def _pass_name(family: Path, module: str) -> str:
    return _prefix(family) + module.replace("_", "-")


def _module_of(pass_name: str) -> ModuleType | None:
    """Import the module that must define a pass or pipeline of ours, if there is one."""
    is_pipeline = pass_name.endswith("-pipeline")
    for family in _families():
        prefix = _prefix(family)
        if not pass_name.startswith(prefix):
            continue
        name = _PIPELINE if is_pipeline else pass_name.removeprefix(prefix).replace("-", "_")
        if _is_module_name(name) and _has_module(family, name):
            return _import(family, name)
    return None


def _has_module(family: Path, name: str) -> bool:
    return (family / f"{name}.py").exists() or (family / name / "__init__.py").exists()


def _import(family: Path, module: str) -> ModuleType:
    return importlib.import_module(f"{_PASSES}.{family.name}.{module}")


def _defined(module: ModuleType) -> dict[str, PassClass]:
    """Return the passes and pipelines that a module itself defines, by name."""
    return {cls.name: cls for cls in _pass_classes(module)}


def _pass_classes(module: ModuleType) -> list[PassClass]:
    """Return the classes of passes and pipelines that a module itself defines, each once."""
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
    """Check that no class is defined twice: the first one would be lost silently."""
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
    # A pass for HLO text only has `run_hlo`.
    if inherited and not hasattr(cls, "run_hlo"):
        raise PassLoadError(f"{path}: {cls.__name__} does not define {method}()")
    option_specs(cls)


def _import_user_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise PassLoadError(f"{path}: no such pass file")
    # Files in different directories may have the same name.
    name = f"sdykit_user_{path.stem}_{len(sys.modules)}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PassLoadError(f"{path}: not a Python file (expected the ending .py)")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look up their module by name while the file runs.
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
