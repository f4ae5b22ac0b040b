"""Compiled programs on disk, for the next process.

Read `files` first, which reads and writes the directory. `pruning` bounds its size; `keys` computes
the keys from all that machine code depends on.
"""

from sdykit.sparsecore.codegen.cache.files import CachedObject, ObjectCache

__all__ = ["CachedObject", "ObjectCache"]
