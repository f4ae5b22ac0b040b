"""Preparations that come before a program imports jax-tpu-embedding or keras-rs.

`sdykit.pth` imports this module whenever Python starts. JAX calls the plugin when it starts its
first backend, which is too late for two things: the first layer of keras-rs asks for SparseCores,
which starts the backend, but the answer is the one from before the plugin ran; and the C++ code
of jax-tpu-embedding reads its log level when it is loaded.

Until a program imports one of the two, only modules that Python has loaded anyway are imported.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

_PACKAGES = ("jax_tpu_embedding", "keras_rs")
_LOGS = "jax_tpu_embedding.sparsecore.lib.core.pybind_input_preprocessing"
_LEVEL = "TF_CPP_MIN_LOG_LEVEL"
_ERRORS = "2"
_BY_DEFAULT = (None, "1")
"""Levels that the user has not set: JAX sets 1 if there is none, and child processes inherit it."""


class _Listener:
    """A finder that finds nothing, and sees the names of all modules that are imported."""

    has_begun = False
    is_on = False
    is_level_changed = False
    level: str | None = None
    """The level before it was changed; None: not set."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        del path, target
        if name in _PACKAGES and not self.has_begun:
            self.has_begun = True
            self._begin()
        elif name == _LOGS and self.is_on:
            self._keep_quiet()

    def _begin(self) -> None:
        from sdykit.bridge import plugin
        from sdykit.bridge.plugin.import_hook import watch

        self.is_on = plugin.prepare_library()
        if self.is_on:
            watch({_LOGS: self._let_log})

    def _keep_quiet(self) -> None:
        """Let the C++ code of the library log only errors: it logs two warnings for every batch.

        Nothing changes on TPUs, nor if the user has set a level.
        """
        from importlib.util import find_spec

        level = os.environ.get(_LEVEL)
        if level in _BY_DEFAULT and find_spec("libtpu") is None:
            self.level, self.is_level_changed = level, True
            os.environ[_LEVEL] = _ERRORS

    def _let_log(self, _: ModuleType) -> None:
        """Restore the variable: the library, for which it was changed, has read it."""
        if not self.is_level_changed:
            return
        self.is_level_changed = False
        os.environ.pop(_LEVEL, None)
        if self.level is not None:
            os.environ[_LEVEL] = self.level


sys.meta_path.insert(0, _Listener())  # type: ignore[arg-type]
