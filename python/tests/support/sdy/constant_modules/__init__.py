"""Random modules for the constant splitter."""

from support.sdy.constant_modules.modules import random_module

__all__ = ["random_module"]
