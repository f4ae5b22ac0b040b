"""Parsing the command line as LLVM's command-line library does.

`argparse` cannot do it: an optional value is accepted as `-flag=value` only, a required one may
be the next argument whatever that begins with, passes are flags whose order counts, and one
dash means the same as two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sdykit.errors import SdykitError
from sdykit.opt.flags.mlir import MLIR_FLAGS
from sdykit.opt.flags.types import Flag, FlagSet, Kind, default

_MAX_COUNT = 2**31 - 1


class UsageError(SdykitError):
    """The command line is wrong."""


@dataclass(frozen=True)
class PassFlag:
    """A pass named by a flag.

    Attributes:
        name: the name of the pass, with dashes.
        options: the text of its options, without braces.
        typed: the flag as the user typed it.
    """

    name: str
    options: str
    typed: str


@dataclass(frozen=True)
class CommonArguments:
    """A parsed command line: the input, the passes in order, and the flags that all tools have."""

    input: str
    passes: tuple[PassFlag, ...]

    o: str
    split_input_file: str | None
    output_split_marker: str
    pass_pipeline: str | None
    load_pass: tuple[str, ...]
    traceback: bool
    dump_pass_pipeline: bool
    verify_diagnostics: str | None
    verify_each: bool
    verify_roundtrip: bool
    mlir_diagnostic_verbosity_level: str
    mlir_disable_diagnostic_notes: bool
    mlir_print_ir_before: tuple[str, ...]
    mlir_print_ir_after: tuple[str, ...]
    mlir_print_ir_before_all: bool
    mlir_print_ir_after_all: bool
    mlir_print_ir_after_change: bool
    mlir_print_ir_after_failure: bool
    mlir_timing: bool
    mlir_timing_display: str
    mlir_output_format: str
    in_process: bool
    help: bool
    version: bool
    list_passes: bool


@dataclass(frozen=True)
class Arguments(CommonArguments):
    """The arguments of a tool that works on MLIR."""

    allow_unregistered_dialect: bool
    no_implicit_module: bool
    emit_bytecode: bool
    emit_bytecode_version: int | None
    compare_with_cpp: bool
    mlir_pass_pipeline_crash_reproducer: str | None
    run_reproducer: bool
    mlir_print_op_on_diagnostic: bool
    mlir_print_debuginfo: bool
    mlir_pretty_debuginfo: bool
    mlir_print_op_generic: bool
    mlir_print_local_scope: bool
    mlir_use_nameloc_as_prefix: bool
    mlir_print_skip_regions: bool
    mlir_elide_elementsattrs_if_larger: int | None
    mlir_elide_resource_strings_if_larger: int | None
    mlir_print_ir_module_scope: bool
    mlir_print_ir_tree_dir: str | None
    report: str | None
    show_dialects: bool


@dataclass(frozen=True)
class HloArguments(CommonArguments):
    """The arguments of the tool that works on HLO."""

    import_mlir: str | None
    emit_mlir: bool
    emit_bytecode: bool
    mlir_print_debuginfo: bool
    no_verify: bool
    syntax_sugar_async_ops: bool
    print_async_aliasing: bool


_Arguments = TypeVar("_Arguments", bound=CommonArguments)


def parse(argv: Sequence[str]) -> Arguments:
    """Parse the arguments of a tool that works on MLIR; see `parse_as`."""
    return parse_as(argv, MLIR_FLAGS, Arguments)


def parse_as(argv: Sequence[str], flags: FlagSet, make: type[_Arguments]) -> _Arguments:
    """Parse the arguments after the program's name.

    A name that is not a flag of the tool is taken for that of a pass. Whether the pass exists is
    checked when the pipeline is planned.

    Args:
        argv: the arguments.
        flags: the flags of the tool.
        make: the class of the result; it has a field for each flag.

    Raises:
        UsageError: a value is missing or wrong, or there are two inputs.
    """
    values = {flag.field: default(flag) for flag in flags.flags}
    inputs: list[str] = []
    passes: list[PassFlag] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            inputs += rest
            break
        if word == "-" or not word.startswith("-"):
            inputs.append(word)
            continue
        name, equals, text = word[2 if word.startswith("--") else 1 :].partition("=")
        name = name.replace("_", "-")
        flag = flags.by_name.get(name)
        if flag is None:
            if name not in flags.ignored:
                passes.append(PassFlag(name, _unbraced(text), word))
            continue
        if not equals and flag.takes_next:
            if not rest:
                raise UsageError(f"for the {_spelled(flag)} option: requires a value!")
            text, equals = rest.pop(0), "="
        value = _value(flag, text if equals else None)
        if flag.kind in (Kind.NAMES, Kind.FILES):
            value = values[flag.field] + value
        values[flag.field] = value
    if len(inputs) > 1:
        raise UsageError(
            f"Too many positional arguments specified: {', '.join(inputs)};"
            " can specify at most 1, the input file"
        )
    return make(inputs[0] if inputs else "-", tuple(passes), **values)


def _unbraced(options: str) -> str:
    """Remove the braces of `{a=1 b=2}`: options are written with them and without."""
    return options[1:-1] if options.startswith("{") and options.endswith("}") else options


def _spelled(flag: Flag) -> str:
    return f"-{flag.name}" if len(flag.name) == 1 else f"--{flag.name}"


def _value(flag: Flag, text: str | None) -> Any:
    if flag.kind is Kind.BOOL:
        return _bool(flag, text)
    if text is None:
        return flag.when_bare
    if flag.kind is Kind.COUNT:
        if not text.isdecimal() or len(text) > 10 or int(text) > _MAX_COUNT:
            raise UsageError(
                f"for the {_spelled(flag)} option: '{text}' value invalid for uint argument!"
            )
        return int(text)
    if flag.kind is Kind.NAMES:
        return tuple(name.replace("_", "-") for name in text.split(",") if name)
    if flag.kind is Kind.FILES:
        return (text,)
    if flag.choices and text not in flag.choices:
        raise UsageError(
            f"for the {_spelled(flag)} option: Cannot find option named '{text}'!"
            f" Try one of {', '.join(flag.choices)}"
        )
    return text


def _bool(flag: Flag, text: str | None) -> bool:
    if text in (None, "", "true", "TRUE", "True", "1"):
        return True
    if text in ("false", "FALSE", "False", "0"):
        return False
    raise UsageError(
        f"for the {_spelled(flag)} option: '{text}' is invalid value for boolean argument!"
        " Try 0 or 1"
    )
