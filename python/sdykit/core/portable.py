"""Reading modules, portable artifacts of StableHLO among them.

A portable artifact, such as `jax.export` writes, is bytecode in the dialect VHLO, whose ops have
versions, and which no pass supports. It is converted to StableHLO when it is read.
"""

from __future__ import annotations

import re

from sdykit.errors import SdykitError
from sdykit.mlir import ir, passmanager, stablehlo

BYTECODE_MAGIC = b"ML\xefR"
_DIALECT = "vhlo."
_PRODUCER = re.compile(re.escape(BYTECODE_MAGIC) + rb".StableHLO_v([^\0]{,64})\0", re.DOTALL)
"""The head of bytecode: the magic number, its version in one byte, and the producer."""
_CURRENT_OPERATION = re.compile(
    r"^ note: [^\n]*: see current operation:.*?(?:\n(?=error: )|\Z)", re.DOTALL | re.MULTILINE
)
"""A note of the verifier: the whole op, as long as a function may be, beside its place."""
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


class PortableArtifactError(SdykitError):
    """A portable artifact is of a version that cannot be read."""


def read_module(data: str | bytes, context: ir.Context) -> ir.Module:
    """Read a module in text or bytecode, and convert a portable artifact to StableHLO.

    Args:
        data: the module, such as `exported.mlir_module_serialized` of `jax.export`.
        context: a context from `sdykit.mlir.make_context`.

    Returns:
        The verified module.

    Raises:
        PortableArtifactError: the artifact is newer than the StableHLO inside jaxlib, or too old.
        SdykitError: the data is not a valid module.
    """
    if isinstance(data, bytes):
        check_version(data)
    try:
        module = ir.Module.parse(data, context)
        if holds_vhlo(module.operation):
            to_stablehlo(module.operation)
    except ir.MLIRError as error:
        details = str(error).partition("\n")[2].strip()  # After a line that the bindings add.
        details = _CURRENT_OPERATION.sub("", details).strip()
        raise SdykitError(f"the module is not valid: {details}") from None
    except (RuntimeError, ValueError) as error:  # C++ exceptions, on corrupt bytecode.
        raise SdykitError(f"the module cannot be read: {error}") from None
    return module


def check_version(data: bytes) -> None:
    """Check that the StableHLO inside jaxlib promises to read a portable artifact.

    Other data is not checked.

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
    """Return the numbers of a version, which compare as versions do; () if it is not one."""
    match = _VERSION.fullmatch(version)
    return tuple(map(int, match.groups())) if match else ()


def holds_vhlo(module: ir.Operation) -> bool:
    """Return whether a module has VHLO ops at its top, as its functions are if it is VHLO."""
    return any(
        op.operation.name.startswith(_DIALECT)
        for region in module.regions
        for block in region
        for op in block
    )


def to_stablehlo(module: ir.Operation) -> None:
    """Convert the VHLO in a module, of any version, to StableHLO; other ops stay as they are.

    Raises:
        MLIRError: the version of an op is unknown, or the op has no counterpart.
    """
    stablehlo.register_stablehlo_passes()
    newest = stablehlo.get_current_version()
    passes = f"vhlo-to-version{{target={newest}}},vhlo-legalize-to-stablehlo"
    passmanager.PassManager.parse(f"{module.name}({passes})", module.context).run(module)
