"""`--help`, `--version`, `--list-passes` and `--show-dialects`."""

from __future__ import annotations

import contextlib
import inspect
import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence

from sdykit import __version__
from sdykit.core import Pipeline, Registry, capture
from sdykit.core.options import option_specs
from sdykit.core.registry import PassClass
from sdykit.core.upstream import UPSTREAM_PASSES, UpstreamPass
from sdykit.opt.arguments import Arguments
from sdykit.opt.flags import FLAGS, IGNORED, UNAVAILABLE

_WIDEST = 100
_COLUMN = 34

_INTRODUCTION = """\
{tool} reads MLIR, runs passes over it, and prints the result. It knows the dialects of \
StableHLO, Shardy (sdy) and MPMD beside MLIR's own, and takes the flags of mlir-opt.

Usage: {tool} [flags] [input file, or - for stdin]

Examples:
  {first:<49}run a pipeline, print to stdout
  {tool} model.mlir {single} --cse -o out.mlir
                                                   passes run in the order of their flags
  {tool} model.mlir --pass-pipeline='builtin.module(func.func(cse),symbol-dce)'
  {tool} model.mlir --load-pass=mine.py --my-pass='option=value other=1,2'
  {tool} model.mlir {pipeline} --mlir-print-ir-after-change
  {tool} test.mlir --split-input-file --verify-diagnostics

A flag takes one dash or two, and underscores for dashes. Flags of passes may be mixed with \
all others, except --pass-pipeline.
"""

_EXAMPLES = {
    "sdy-opt": {"pipeline": "--sdy-import-pipeline", "single": "--sdy-lift-inlined-meshes"},
    "mpmd-opt": {
        "pipeline": "--mpmd-export-pipeline",
        "single": "--mpmd-export-pipeline='compat=today'",
    },
}
"""What the examples of a tool run."""


def version(tool: str) -> str:
    """Give the versions of sdykit and of the library that holds MLIR."""
    from importlib.metadata import version as of

    return f"{tool} {__version__} (MLIR of jaxlib {of('jaxlib')})\n"


def requested(arguments: Arguments, registry: Registry, tool: str) -> str:
    """Give the text that the flags ask for."""
    if arguments.help:
        return _help(registry, tool)
    if arguments.list_passes:
        return _pass_list(registry)
    return _dialects()


def _help(registry: Registry, tool: str) -> str:
    examples = _EXAMPLES[tool]
    first = f"{tool} model.mlir {examples['pipeline']}"
    parts = [_wrapped_paragraphs(_INTRODUCTION.format(tool=tool, first=first, **examples))]
    for group in dict.fromkeys(flag.group for flag in FLAGS):
        parts.append(f"{group}:")
        parts += [_entry(flag.usage, flag.help) for flag in FLAGS if flag.group == group]
        parts.append("")
    for title, classes in _classes(registry):
        parts.append(f"{title}:")
        for cls in classes:
            parts += [_entry(f"--{cls.name}", _summary(cls)), *_options(cls)]
        parts.append("")
    parts.append("C++ passes of MLIR:")
    for name, upstream in UPSTREAM_PASSES.items():
        parts += [_entry(f"--{name}", upstream.summary), *_upstream_options(upstream)]
    parts += ["", "Flags of mlir-opt that change nothing here:"]
    parts += [_entry(f"--{name}", why) for name, why in IGNORED.items()]
    parts += ["", "Flags of mlir-opt that are not available:"]
    for why in dict.fromkeys(UNAVAILABLE.values()):
        names = ", ".join(f"--{name}" for name, reason in UNAVAILABLE.items() if reason == why)
        parts.append(_filled(f"{names}: {why}", "  "))
    return "\n".join(parts) + "\n"


def _pass_list(registry: Registry) -> str:
    parts: list[str] = []
    for title, classes in _classes(registry):
        parts += [f"{title}:", *(_entry(cls.name, _summary(cls)) for cls in classes), ""]
    parts += ["C++ passes of MLIR:"]
    parts += [_entry(name, upstream.summary) for name, upstream in UPSTREAM_PASSES.items()]
    return "\n".join(parts) + "\n"


def _dialects() -> str:
    """Ask MLIR for its dialects: the bindings cannot, but a diagnostic tells."""
    from sdykit.mlir import ir, make_context

    notes: list[str] = []
    context = make_context()
    with (
        capture(context, lambda d: notes.extend(note.message for note in d.notes)),
        contextlib.suppress(ir.MLIRError),
    ):
        ir.Module.parse("no_such_dialect.op", context)
    # "Available dialects: affine (*), arith, vhlo (* loaded but unregistered); for more ..."
    listed = "".join(notes).partition("Available dialects:")[2].partition(";")[0]
    names = re.sub(r"\([^)]*\)|,", " ", listed).split()
    return f"Available Dialects: {','.join(names)}\n"


def _classes(registry: Registry) -> Iterator[tuple[str, Sequence[PassClass]]]:
    """Give our pipelines and our passes; imports the files of all of them."""
    classes = [cls for name in registry.names() if (cls := registry.find(name)) is not None]
    pipelines = [cls for cls in classes if issubclass(cls, Pipeline)]
    if pipelines:
        yield "Pipelines", pipelines
    yield "Passes", [cls for cls in classes if not issubclass(cls, Pipeline)]


def _summary(cls: PassClass) -> str:
    """Give the first line of the docstring that the class itself has."""
    return inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]


def _options(cls: PassClass) -> Iterator[str]:
    for spec in option_specs(cls):
        default = f" (default {spec.default_text})" if spec.default_text else ""
        yield _entry(f"  {spec.name}={spec.metavar}", spec.help + default)


def _upstream_options(upstream: UpstreamPass) -> Iterator[str]:
    for option in upstream.options:
        default = f" (default {option.default})" if option.default else ""
        yield _entry(f"  {option.name}=<...>", option.help + default)


def _width() -> int:
    return min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)


def _entry(name: str, text: str) -> str:
    """Set a name and its explanation side by side, or below each other if need be."""
    lines = _filled(text, width=_width() - _COLUMN).split("\n")
    head = f"  {name}"
    if len(head) < _COLUMN - 1:
        head += " " * (_COLUMN - len(head)) + lines.pop(0)
    return "\n".join([head, *(" " * _COLUMN + line for line in lines)]).rstrip()


def _filled(text: str, indent: str = "", width: int = 0) -> str:
    return textwrap.fill(
        " ".join(text.split()),
        max(20, width or _width()),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _wrapped_paragraphs(text: str) -> str:
    return "\n".join(_filled(s) if len(s) > _width() else s for s in text.split("\n"))
