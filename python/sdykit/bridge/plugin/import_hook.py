"""Actions on modules of other packages, whenever they are imported.

    watch({"numpy.linalg": print})

calls `print(module)` each time after `numpy.linalg` ran: at once if it is imported already, and
again after a reload. The modules are imported as they would be otherwise, by the same loaders.
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
    """Call actions with modules after they have run, now or later.

    An action may be called twice for one import, if another thread imports the module at this
    moment.

    Args:
        actions: the full name of a module -> a function of the module. Its exceptions are raised by
            the import.
    """
    # First add the finder, so that a module that is imported meanwhile has its action called.
    sys.meta_path.insert(0, _Finder(actions))
    for name, action in actions.items():
        module = sys.modules.get(name)
        if isinstance(module, ModuleType):
            _act_when_complete(module, action)


class _Finder:
    """Finds what the finders after it find, and has the loader call an action."""

    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        action = self._actions.get(name)
        if action is None:
            return None
        spec = self._find_in_later_finders(name, path, target)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            _act_after(spec, action)
        return spec

    def _find_in_later_finders(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        finders: list[Any] = list(sys.meta_path)
        # Earlier finders have been asked. If one of them wraps this one, asking all would not end.
        later = finders[finders.index(self) + 1 :] if self in finders else []
        for finder in later:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                return spec
        return None


def _act_after(spec: Any, action: Action) -> None:
    try:
        spec.loader = _calling(action, spec.loader)
    except (AttributeError, TypeError):
        # The loader takes no function of its own: the spec calls the action, but not after a reload.
        spec.action = action
        spec.__class__ = _ActingSpec


def _calling(action: Action, loader: Any) -> Any:
    """Return a loader of the same class that calls `action` with a module after it ran.

    Raises:
        AttributeError: the loader takes no function of its own.
        TypeError: it cannot be copied.
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
    # It is being imported, here or by another thread, and its loader can no longer be replaced.
    # Waiting for it could deadlock, as it may wait for a lock that this thread holds.
    spec.action = action
    spec.__class__ = _ActingSpec
    if not spec._initializing:  # It became complete before its class changed.
        action(module)


class _ActingSpec(ModuleSpec):
    """The spec of a module whose loader cannot call the action, as it had started before."""

    action: Action

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        # The import machinery sets it last.
        if name != "_initializing" or value:
            return
        object.__setattr__(self, "__class__", ModuleSpec)
        module = sys.modules.get(self.name)
        # A module that failed has been removed.
        if module is not None and module.__spec__ is self:
            self.action(module)
