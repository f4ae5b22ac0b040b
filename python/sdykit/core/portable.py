"""Reading modules, portable artifacts of StableHLO among them.

A portable artifact, such as `jax.export` writes, is bytecode in the dialect VHLO, whose ops have
versions; no pass looks into it. It is read as the StableHLO that it stands for.
"""

from __future__ import annotations

import re

from sdykit.errors import SdykitError
from sdykit.mlir import ir, passmanager, stablehlo

BYTECODE_MAGIC = b"ML\xefR"
_DIALECT = "vhlo."
_PRODUCER = re.compile(re.escape(BYTECODE_MAGIC) + rb".StableHLO_v([^\0]{,64})\0", re.DOTALL)
"""The head of bytecode: after its version in one byte stands what wrote it."""
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


class PortableArtifactError(SdykitError):
    """A portable artifact is of a version that cannot be read."""


def read_module(data: str | bytes, context: ir.Context) -> ir.Module:
    """Read a module in text or bytecode; a portable artifact as StableHLO.

    Args:
        data: the module, such as `exported.mlir_module_serialized` of `jax.export`.
        context: what `sdykit.mlir.make_context` makes.

    Returns:
        The verified module.

    Raises:
        PortableArtifactError: the artifact is newer than the StableHLO inside jaxlib, or too old.
        SdykitError: the data is no valid module.
    """
    if isinstance(data, bytes):
        check_version(data)
    try:
        module = ir.Module.parse(data, context)
        if holds_vhlo(module.operation):
            to_stablehlo(module.operation)
    except ir.MLIRError as error:
        details = str(error).partition("\n")[2].strip()  # Below a line of the bindings' own.
        raise SdykitError(f"the module is not valid: {details}") from None
    except (RuntimeError, ValueError) as error:  # C++ exceptions, on corrupt bytecode.
        raise SdykitError(f"the module cannot be read: {error}") from None
    return module


def check_version(data: bytes) -> None:
    """Refuse a portable artifact that the StableHLO inside jaxlib does not promise to read.

    Anything else passes.

    Raises:
        PortableArtifactError: the artifact is newer or older than what can be read.
    """
    head = _PRODUCER.match(data)
    if head is None:
        return
    text = head[1].decode(errors="replace")
    oldest, newest = stablehlo.get_minimum_version(), stablehlo.get_current_version()
    version = _numbers(text)
    if _numbers(oldest) <= version <= _numbers(newest):
        return
    hint = ""
    if version > _numbers(newest):
        hint = "; a newer jaxlib reads it, or export it for an older version"
    raise PortableArtifactError(
        f"the portable artifact is of StableHLO {text!r}, and the StableHLO inside jaxlib reads"
        f" {oldest} to {newest}{hint}"
    )


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, which compare as versions do; none if it is not one."""
    match = _VERSION.fullmatch(version)
    return tuple(map(int, match.groups())) if match else ()


def holds_vhlo(module: ir.Operation) -> bool:
    """Tell whether there is VHLO at the top of a module: functions at least are in it, if any."""
    return any(
        op.operation.name.startswith(_DIALECT)
        for region in module.regions
        for block in region
        for op in block
    )


def to_stablehlo(module: ir.Operation) -> None:
    """Turn the VHLO in a module, of any version, into StableHLO; the rest stays as it is.

    Raises:
        MLIRError: of an op in it no version is known, or it has no counterpart.
    """
    stablehlo.register_stablehlo_passes()
    newest = stablehlo.get_current_version()
    passes = f"vhlo-to-version{{target={newest}}},vhlo-legalize-to-stablehlo"
    passmanager.PassManager.parse(f"{module.name}({passes})", module.context).run(module)
