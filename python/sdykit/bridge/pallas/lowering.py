"""Lowering of one kernel: its module, and the call that runs it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.pallas.call import emit_call
from sdykit.bridge.pallas.chip import machine
from sdykit.bridge.pallas.interpret import heed
from sdykit.bridge.pallas.jax_names import module_names
from sdykit.bridge.pallas.module import as_symbol, make_module, name_of, text_of
from sdykit.bridge.pallas.settings import pallas_settings
from sdykit.bridge.settings import current
from sdykit.sparsecore.mosaic.kernel import Kernel, read_kernel
from sdykit.sparsecore.mosaic.layout import check_capacity, lay_out
from sdykit.sparsecore.mosaic.lint import lint
from sdykit.sparsecore.mosaic.spec import MosaicChip, MosaicSpec


def lower_kernel(
    context: Any,
    nodes: Sequence[Any],
    *,
    jaxprs: Sequence[Any],
    meshes: Sequence[Any],
    external_meshes: Sequence[Any],
    input_output_aliases: Any,
    compiler_params: Any,
    interpret: Any,
    debug: bool,
    name: str | None,
    **_: Any,
) -> Sequence[Any]:
    """Return the results of a kernel in the program that is lowered; the parameters are JAX's.

    Raises:
        BridgeError: the chip has no SparseCores, or fewer than the kernel's mesh; or an op of the kernel
            is invalid, such as a DMA between arrays of other shapes.
        NotImplementedError: from JAX: there are several devices, and no `shard_map`; or the chip has other
            vectors than the kernel.
        SparseCoreError: a setting is wrong, or the kernel takes more memory than a subcore has.
    """
    _check_devices(context)
    chip = machine()
    kernel = as_symbol(name or "_".join(map(name_of, jaxprs)))
    if chip is None:
        raise BridgeError(f"kernel '{kernel}': this chip has no SparseCores that Pallas can use")
    _check_meshes(kernel, meshes, chip)
    params = compiler_params or module_names().compiler_params()
    with _naming_lanes(chip, params):
        module = make_module(
            context,
            jaxprs,
            meshes,
            (*meshes, *external_meshes),
            kernel=kernel,
            scratch=len(jaxprs[0].invars) - len(nodes) - len(context.avals_out),
            needs_layout_passes=params.needs_layout_passes,
        )
    if debug:
        print(f"\nThe Mosaic module of kernel {kernel}:\n{module}")
    _check(read_kernel(module, kernel), chip, params)
    spec = _spec(kernel, text_of(module), chip, len(nodes), input_output_aliases)
    if interpret:
        spec = heed(interpret, spec)
    results = emit_call(context, nodes, spec, has_side_effects=_has_side_effects(params))
    if interpret:
        # The effects of interpret mode are ordered; nothing of the call is.
        context.set_tokens_out(context.tokens_in)
    return results


def _spec(
    kernel: str, module: str, chip: MosaicChip, operands: int, aliases: Mapping[int, int]
) -> MosaicSpec:
    """Return the spec of a kernel, as the settings have it."""
    settings = pallas_settings()
    return MosaicSpec(
        name=kernel,
        module=module,
        operands=operands,
        chip=chip,
        mode=settings.mode,  # type: ignore[arg-type] # Not off: that is the caller's business.
        races=settings.races,
        order=settings.order,
        input_output_aliases=tuple(sorted(aliases.items())),
        passes_device="tpu.device_id" in module,
        counters=current().counters,
    )


def _check(kernel: Kernel, chip: MosaicChip, params: Any) -> None:
    """Check that a kernel fits, and warn, at the user's lines, of what a chip's compiler may refuse.

    Raises:
        SparseCoreError: the kernel takes more memory than a subcore has.
    """
    check_capacity(kernel, lay_out(kernel), chip.name, chip.vmem_bytes)
    if pallas_settings().mode != "check":
        return
    for finding in lint(kernel, chip, needs_layout_passes=params.needs_layout_passes):
        file, _, line = finding.place.rpartition(":")
        text = f"kernel '{kernel.name}': {finding.text}"
        warnings.warn_explicit(text, UserWarning, file or finding.place, int(line) if file else 0)


def _check_meshes(kernel: str, meshes: Sequence[Any], chip: MosaicChip) -> None:
    """Check that the chip has the subcores of all meshes: it may be another one than theirs.

    Raises:
        BridgeError: it has fewer.
    """
    for mesh in meshes:
        found = (mesh.num_cores, getattr(mesh, "num_subcores", 1))
        if found[0] > chip.cores or found[1] > chip.subcores:
            raise BridgeError(
                f"kernel '{kernel}': its mesh has {found[0]} SparseCores with {found[1]} subcores each;"
                f" expected at most the {chip.cores} with {chip.subcores} of chip {chip.name}: make the"
                " mesh after the chip is set"
            )


@contextmanager
def _naming_lanes(chip: MosaicChip, params: Any) -> Iterator[None]:
    """Add the chip to JAX's errors about vectors that are not of the size of a register."""
    try:
        yield
    except (NotImplementedError, ValueError) as error:
        if params.needs_layout_passes or "shape" not in str(error):
            raise
        raise type(error)(
            f"{error}; a vector of chip {chip.name} has {chip.lanes} elements of 32 bits: write the kernel"
            " for plsc.get_sparse_core_info().num_lanes, set SDYKIT_CHIP to a chip with vectors of its"
            " size, or leave out needs_layout_passes=False"
        ) from error


def _has_side_effects(params: Any) -> bool:
    found = params.has_side_effects
    # An enumeration: pure, or one of two kinds.
    return found if isinstance(found, bool) else found.name != "PURE"


def _check_devices(context: Any) -> None:
    """Check that the program runs on one device, or each device its own part.

    Raises:
        NotImplementedError: there are several devices, and XLA would divide the work.
    """
    names = module_names()
    axes = context.module_context.axis_context
    is_divided = False
    if isinstance(axes, names.spmd_context):
        manual = axes.manual_axes | set(axes.mesh.manual_axes)
        is_divided = bool(axes.manual_axes) and manual != frozenset(axes.mesh.axis_names)
    elif isinstance(axes, names.sharding_context):
        is_divided = axes.num_devices != 1
    if is_divided:
        raise NotImplementedError(
            "Mosaic kernels cannot be automatically partitioned. Please wrap the call in a shard_map."
        )
