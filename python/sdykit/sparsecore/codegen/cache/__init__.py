"""Compiled programs on disk, for the next process.

`files` reads and writes the directory; `pruning` bounds its size; `keys` names what an object
depends on.
"""

from sdykit.sparsecore.codegen.cache.files import CachedObject, ObjectCache

__all__ = ["CachedObject", "ObjectCache"]
