"""Building the tile program of a spec."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.arguments import TileArgument, TileProgram
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.lookup.build import build_lookup, lookup_arguments
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, LookupSpec, TileSpec, UpdateSpec
from sdykit.sparsecore.tile.update.build import build_update, update_arguments


def arguments_of(spec: TileSpec) -> tuple[TileArgument, ...]:
    """Return the arguments of the program of a spec, in order, without those that passes add.

    Raises:
        SparseCoreError: there is no such chip, or the spec is of another class.
    """
    if isinstance(spec, LookupSpec):
        return lookup_arguments(spec)
    if isinstance(spec, (UpdateSpec, CustomUpdateSpec)):
        return update_arguments(spec)
    raise _unknown(spec)


def build_tile(spec: TileSpec) -> TileProgram:
    """Build the program of a lookup or an update, as text.

    Raises:
        SparseCoreError: as `build_module`.
    """
    with tile_context() as context:
        return TileProgram(text_of(build_module(context, spec)), arguments_of(spec))


def text_of(module: ir.Module) -> str:
    """Return the text of a program, in which buffers and other values have the names they were given."""
    return str(module.operation.get_asm(use_name_loc_as_prefix=True)).rstrip("\n") + "\n"


def build_module(context: ir.Context, spec: TileSpec) -> ir.Module:
    """Build the program of a lookup or an update, as a module of a context.

    Raises:
        SparseCoreError: there is no such chip, the spec is of another class, or a user's update
            has an unsupported op.
    """
    if isinstance(spec, LookupSpec):
        return build_lookup(context, spec)
    if isinstance(spec, (UpdateSpec, CustomUpdateSpec)):
        return build_update(context, spec)
    raise _unknown(spec)


def _unknown(spec: object) -> SparseCoreError:
    return SparseCoreError(
        f"spec: it is {spec!r}; expected a LookupSpec, UpdateSpec or CustomUpdateSpec"
    )
