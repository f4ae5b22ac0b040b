"""The library's `utils` for CPU devices: their SparseCores, and the layout of tables."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from typing import Any

from jax.experimental.layout import Format, Layout
from jax.sharding import AbstractMesh, Sharding

from sdykit.bridge.settings import current

CPU = "cpu"
"""JAX's `device_kind` of CPU devices."""


class _Counts(UserDict[str, int]):
    """SparseCores by kind of device; those of CPU devices are read from the settings each time."""

    def __getitem__(self, kind: str) -> int:
        found = super().__getitem__(kind)
        # `register` sets 0; another number was set by the program, and is kept.
        return current().sparse_cores if kind == CPU and not found else found


def register(module: Any) -> None:
    """Add CPU devices to `NUM_SC_PER_DEVICE_MAP` of `utils`, and set a plain layout of tables."""
    # Settings are not read yet: a wrong SDYKIT_CHIP must not make the import of the library fail.
    module.NUM_SC_PER_DEVICE_MAP = _Counts({**module.NUM_SC_PER_DEVICE_MAP, CPU: 0})
    module.embedding_table_format_with_sharding = _untiled_on_cpus(
        module.embedding_table_format_with_sharding
    )


def _untiled_on_cpus(format_of: Callable[[Sharding], Any]) -> Callable[[Sharding], Any]:
    def embedding_table_format_with_sharding(sharding: Sharding) -> Any:
        """Return the format of tables, without the tiles of 0.1.0, which make CPUs copy tables."""
        found = format_of(sharding)
        if not isinstance(found, Format) or _kind(sharding) != CPU:
            return found
        layout: Any = found.layout
        return Format(Layout(major_to_minor=layout.major_to_minor), found.sharding)

    return embedding_table_format_with_sharding


def _kind(sharding: Any) -> str | None:
    """Return the kind of the devices, or None if it is unknown."""
    mesh = getattr(sharding, "mesh", None)
    if isinstance(mesh, AbstractMesh):
        return getattr(mesh.abstract_device, "device_kind", None)
    return next(iter(sharding.device_set)).device_kind
