"""What has to be there before a program imports jax-tpu-embedding or keras-rs.

`sdykit.pth` imports this module whenever Python starts. JAX calls the plugin when it starts its
first backend, which is too late for two things: the first layer of keras-rs asks for SparseCores,
which starts that backend, and goes by the answer from before; and the C++ code of
jax-tpu-embedding reads how much it is to log when it is loaded.

Until a program imports one of the two, nothing is imported but what Python has loaded anyway.
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
"""JAX sets 1 where there is none; processes that it is the parent of have that too."""


class _Listener:
    """A finder that finds nothing, and so is told what is imported."""

    has_begun = False
    is_on = False
    is_level_changed = False
    level: str | None = None
    """What it was before."""

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
        """Let the library's C++ log errors alone: it writes two warnings for every batch.

        On TPUs everything stays as it is, as does a level that the user has set.
        """
        from importlib.util import find_spec

        level = os.environ.get(_LEVEL)
        if level in _BY_DEFAULT and find_spec("libtpu") is None:
            self.level, self.is_level_changed = level, True
            os.environ[_LEVEL] = _ERRORS

    def _let_log(self, _: ModuleType) -> None:
        """Set the variable as it was: the library, which it was set for, has read it."""
        if not self.is_level_changed:
            return
        self.is_level_changed = False
        os.environ.pop(_LEVEL, None)
        if self.level is not None:
            os.environ[_LEVEL] = self.level


sys.meta_path.insert(0, _Listener())  # type: ignore[arg-type]
