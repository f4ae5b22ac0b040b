"""A directory of compiled programs, a file for each."""

from __future__ import annotations

import hashlib
import itertools
import logging
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sdykit.sparsecore.codegen.cache.pruning import PART_SUFFIX, SUFFIX, mark_used, prune_after
from sdykit.sparsecore.codegen.compiled import Interface

_MAGIC = b"sdykit object 4\n"
_DIGEST_BYTES = 32
_logger = logging.getLogger(__name__)
_unusable: set[Path] = set()
"""Directories that this process has already warned about."""


@dataclass(frozen=True, slots=True)
class CachedObject:
    """A compiled program as the cache holds it.

    Attributes:
        interface: what a caller of the machine code must know.
        module: the text of the tile program.
        llvm: the LLVM IR before optimization.
        objects: the contents of the object files.
    """

    interface: Interface
    module: str
    llvm: str
    objects: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ObjectCache:
    """A directory with one file for each program.

    The cache only saves time. A program whose file is damaged is compiled again, with a warning in
    the log; a directory that cannot be read or written is not used, with one warning. Files are
    replaced atomically, so that any number of processes may share a directory.

    Attributes:
        directory: the path of the directory, which is made when the first file is written.
        max_bytes: the approximate maximum size of all files together; the least recently used are
            removed first. With 0 none is written.
    """

    directory: Path
    max_bytes: int = 1 << 30

    def load(self, key: str) -> CachedObject | None:
        """Return the object with a key, or None if there is none or its file is damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn_once("read", error)
            return None
        try:
            found = _decode(key, data)
        except (ValueError, KeyError, TypeError) as error:
            _logger.warning(
                "the cached object %s is damaged (%s); it is compiled again and replaced",
                path,
                error,
            )
            return None
        mark_used(path)
        return found

    def store(self, key: str, entry: CachedObject) -> None:
        """Write an object under a key, if it is not larger than the bound."""
        path, data = self._path(key), _encode(key, entry)
        if len(data) > self.max_bytes:
            return
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            _replace(path, data)
            prune_after(self.directory, len(data), self.max_bytes)
        except OSError as error:
            self._warn_once("write", error)

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}{SUFFIX}"

    def _warn_once(self, action: str, error: OSError) -> None:
        if self.directory in _unusable:
            return
        _unusable.add(self.directory)
        _logger.warning(
            "cannot %s compiled programs in %s: %s; each process compiles those that it uses. "
            "SDYKIT_CACHE_DIR names another directory",
            action,
            self.directory,
            error.strerror,
        )


def _replace(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=PART_SUFFIX)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _digest(key: str, payload: bytes) -> bytes:
    """Return a checksum that also differs if a file is renamed to another key."""
    return hashlib.sha256(key.encode() + b"\n" + payload).digest()


def _encode(key: str, entry: CachedObject) -> bytes:
    """Return the contents of a file: magic, digest of key and payload, payload.

    The payload is a line with the lengths of all parts but the last, and the parts.
    """
    parts = [
        entry.interface.to_json().encode(),
        entry.module.encode(),
        entry.llvm.encode(),
        *entry.objects,
    ]
    lengths = " ".join(str(len(part)) for part in parts[:-1])
    payload = b"".join([f"{lengths}\n".encode(), *parts])
    return _MAGIC + _digest(key, payload) + payload


def _decode(key: str, data: bytes) -> CachedObject:
    """Return the object that `_encode` wrote.

    Raises:
        ValueError, KeyError, TypeError: the data is something else.
    """
    start = len(_MAGIC) + _DIGEST_BYTES
    payload = data[start:]
    if not data.startswith(_MAGIC):
        raise ValueError(f"it does not begin with {_MAGIC!r}")
    if _digest(key, payload) != data[len(_MAGIC) : start]:
        raise ValueError("its checksum is wrong")
    lengths, rest = payload.split(b"\n", 1)
    ends = [0, *itertools.accumulate(map(int, lengths.split())), len(rest)]
    interface, module, llvm, *objects = (rest[a:b] for a, b in itertools.pairwise(ends))
    return CachedObject(
        Interface.from_json(interface.decode()), module.decode(), llvm.decode(), tuple(objects)
    )
