"""MLIR in the form that the flags ask for: the result, and the IR between passes."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sdykit.core.run import Instrumentation
from sdykit.mlir import ir
from sdykit.opt.flags.arguments import Arguments
from sdykit.opt.instrumentation import selected_printing
from sdykit.opt.io.outputs import OutputError


def asm_options(arguments: Arguments) -> dict[str, Any]:
    """Return the keyword arguments of `get_asm` that correspond to the flags."""
    return {
        "enable_debug_info": arguments.mlir_print_debuginfo,
        "pretty_debug_info": arguments.mlir_pretty_debuginfo,
        "print_generic_op_form": arguments.mlir_print_op_generic,
        "use_local_scope": arguments.mlir_print_local_scope,
        "use_name_loc_as_prefix": arguments.mlir_use_nameloc_as_prefix,
        "skip_regions": arguments.mlir_print_skip_regions,
        "large_elements_limit": arguments.mlir_elide_elementsattrs_if_larger,
        "large_resource_limit": arguments.mlir_elide_resource_strings_if_larger,
    }


def text_of(op: ir.Operation, arguments: Arguments) -> bytes:
    """Print a verified op."""
    text = op.get_asm(binary=True, assume_verified=True, **asm_options(arguments))
    assert isinstance(text, bytes)
    return text + b"\n"


def bytecode_of(op: ir.Operation, version: int | None) -> bytes:
    """Write an op as bytecode.

    Raises:
        OutputError: the version is unknown; a diagnostic has been emitted.
    """
    buffer = io.BytesIO()
    try:
        op.write_bytecode(buffer, desired_version=version)
    except (ir.MLIRError, ValueError) as error:
        raise OutputError(f"cannot write bytecode of version {version}: {error}") from None
    return buffer.getvalue()


def ir_printing(arguments: Arguments) -> Instrumentation | None:
    """Return the instrumentation that prints MLIR between passes; None if no flag asks for it."""
    asked = selected_printing(arguments)
    if asked is None:
        return None
    from sdykit.core.ir_printing import IRPrinting

    tree = arguments.mlir_print_ir_tree_dir
    return IRPrinting(
        **asked,
        module_scope=arguments.mlir_print_ir_module_scope,
        tree_dir=None if tree is None else Path(tree),
        printer=printer_for(arguments),
    )


def printer_for(arguments: Arguments) -> Callable[[ir.Operation, bool], str]:
    """Return a function that prints an op in the form that the flags ask for.

    Its second argument is whether to print the op without aliases, as one that stands alone.
    """
    options = asm_options(arguments)

    def printed(op: ir.Operation, alone: bool) -> str:
        # The op is not assumed to be verified: a failed pass may leave an invalid one, which MLIR
        # then prints in generic form.
        scope = {"use_local_scope": alone or options["use_local_scope"]}
        text = op.get_asm(binary=True, **(options | scope))
        assert isinstance(text, bytes)
        return text.decode(errors="backslashreplace")

    return printed
