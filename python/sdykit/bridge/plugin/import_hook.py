"""Something done to modules of another package, whenever they are imported.

    watch({"numpy.linalg": print})

calls `print(module)` each time after `numpy.linalg` ran: at once if it is there already, and again
after a reload. The modules are imported as without it, by the same loaders.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Action = Callable[[ModuleType], None]


def watch(actions: Mapping[str, Action]) -> None:
    """Do something to modules once they have run, now or later.

    An action must bear being called twice for one import: a module that another thread imports
    at this moment may be met both ways.

    Args:
        actions: by the full name of a module. An exception of an action is one of the import.
    """
    # Before the modules are looked at: what is imported meanwhile is met at least once.
    sys.meta_path.insert(0, _Finder(actions))
    for name, action in actions.items():
        module = sys.modules.get(name)
        if isinstance(module, ModuleType):
            _act_when_complete(module, action)


class _Finder:
    """Finds what the finders behind it find, and has the loader call an action."""

    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        action = self._actions.get(name)
        if action is None:
            return None
        spec = self._found_behind(name, path, target)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            _act_after(spec, action)
        return spec

    def _found_behind(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        finders: list[Any] = list(sys.meta_path)
        # Those in front have been asked. If another one holds this one, asking all would not end.
        behind = finders[finders.index(self) + 1 :] if self in finders else []
        for finder in behind:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                return spec
        return None


def _act_after(spec: Any, action: Action) -> None:
    try:
        spec.loader = _calling(action, spec.loader)
    except (AttributeError, TypeError):
        # A loader that takes no function of its own: the spec tells, but not of a reload.
        spec.action = action
        spec.__class__ = _TellingSpec


def _calling(action: Action, loader: Any) -> Any:
    """Give a loader of the same class that calls `action` with a module after it ran.

    Raises:
        AttributeError: the loader takes no function of its own.
        TypeError: it has no copy.
    """
    if isinstance(loader, type):
        raise TypeError("frozen modules have one loader for all of them, a class")
    # A copy: a zipimporter serves all modules of its file.
    own = copy.copy(loader)

    def exec_module(module: ModuleType) -> None:
        loader.exec_module(module)
        action(module)

    own.exec_module = exec_module
    return own


def _act_when_complete(module: ModuleType, action: Action) -> None:
    spec: Any = module.__spec__
    if not getattr(spec, "_initializing", False):
        action(module)
        return
    # It is being imported, here or by another thread, with a loader that cannot be replaced any
    # more. To wait for it could wait for ever, as it may wait for what this thread holds.
    spec.action = action
    spec.__class__ = _TellingSpec
    if not spec._initializing:  # It became complete before it could tell.
        action(module)


class _TellingSpec(ModuleSpec):
    """The spec of a module whose loader cannot tell, as when it had been started before."""

    action: Action

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        # What the import machinery sets last of all.
        if name != "_initializing" or value:
            return
        object.__setattr__(self, "__class__", ModuleSpec)
        module = sys.modules.get(self.name)
        # A module that failed is not there.
        if module is not None and module.__spec__ is self:
            self.action(module)
