"""Random modules for the constant splitter."""

from constant_modules.modules import random_module

__all__ = ["random_module"]
