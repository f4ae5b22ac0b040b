"""`--help`, `--version`, `--list-passes` and `--show-dialects`."""

from __future__ import annotations

import contextlib
import inspect
import re
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING

from sdykit import __version__
from sdykit.core import Pipeline, Registry, capture
from sdykit.core.options import option_specs
from sdykit.core.pipeline_text import PassCall
from sdykit.core.registry import PassClass
from sdykit.core.upstream import UPSTREAM_PASSES, UpstreamPass
from sdykit.errors import PipelineError
from sdykit.opt.cpp.passes import CPP_PASSES, MARK, PREFIX, lacking
from sdykit.opt.flags.arguments import CommonArguments
from sdykit.opt.flags.introductions import introduction
from sdykit.opt.pipelines import takes_mlir
from sdykit.opt.tools import Tool

_MAX_WIDTH = 100
_COLUMN = 34


def version(tool: str) -> str:
    """Return the line of `--version`: the versions of sdykit and of the library that holds MLIR."""
    from importlib.metadata import version as of

    return f"{tool} {__version__} (MLIR of jaxlib {of('jaxlib')})\n"


def requested(arguments: CommonArguments, registry: Registry, tool: Tool) -> str:
    """Return the text of `--help`, `--list-passes` or `--show-dialects`, whichever is set."""
    if arguments.help:
        return _help(registry, tool)
    if arguments.list_passes:
        return _pass_list(registry, tool)
    return _dialects()


def _help(registry: Registry, tool: Tool) -> str:
    flags = tool.flags
    parts = [_wrapped_paragraphs(introduction(tool.name))]
    for group in dict.fromkeys(flag.group for flag in flags.flags):
        parts.append(f"{group}:")
        parts += [_entry(flag.usage, flag.help) for flag in flags.flags if flag.group == group]
        parts.append("")
    for title, classes in classes_for(registry, tool):
        parts.append(f"{title}:")
        for cls in classes:
            parts += [_entry(f"--{cls.name}", _summary(cls)), *_steps(cls), *_options(cls)]
        parts.append("")
    if not tool.hlo:
        for title, passes in _upstream(registry):
            parts.append(f"{title}:")
            for name, upstream in passes.items():
                parts += [_entry(f"--{name}", upstream.summary), *_upstream_options(upstream)]
            parts.append("")
    parts.append(f"Flags of {flags.like} that have no effect here:")
    parts += [_entry(f"--{name}", why) for name, why in flags.ignored.items()]
    parts += ["", f"Flags of {flags.like} that are not available:"]
    for why in dict.fromkeys(flags.unavailable.values()):
        names = ", ".join(f"--{name}" for name, text in flags.unavailable.items() if text == why)
        parts.append(_filled(f"{names}: {why}", "  "))
    return "\n".join(parts) + "\n"


def _pass_list(registry: Registry, tool: Tool) -> str:
    parts: list[str] = []
    for title, classes in classes_for(registry, tool):
        parts += [f"{title}:", *(_entry(cls.name, _summary(cls)) for cls in classes), ""]
    for title, passes in () if tool.hlo else _upstream(registry):
        parts.append(f"{title}:")
        parts += [_entry(name, upstream.summary) for name, upstream in passes.items()]
        parts.append("")
    return "\n".join(parts[:-1]) + "\n"


def _upstream(registry: Registry) -> Iterator[tuple[str, Mapping[str, UpstreamPass]]]:
    """Yield the C++ passes in groups. Those that we have in Python too are under `cpp-` names."""
    yield "C++ passes of MLIR", UPSTREAM_PASSES
    others = lacking(registry)
    yield f"Passes of Shardy and StableHLO ({MARK})", others
    beside = {PREFIX + name: cpp for name, cpp in CPP_PASSES.items() if name not in others}
    yield f"Beside ours of the same names ({MARK})", beside


def _dialects() -> str:
    """Return the line of `--show-dialects`. The bindings cannot list dialects, but a diagnostic does."""
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


def classes_for(registry: Registry, tool: Tool) -> Iterator[tuple[str, Sequence[PassClass]]]:
    """Yield the titles and classes of our pipelines and our passes for a tool.

    The files of all passes are imported.
    """
    found = [cls for name in registry.names() if (cls := registry.find(name)) is not None]
    classes = [cls for cls in found if _is_for(tool, cls, registry)]
    pipelines = [cls for cls in classes if issubclass(cls, Pipeline)]
    if pipelines:
        yield "Pipelines", pipelines
    yield "Passes", [cls for cls in classes if not issubclass(cls, Pipeline)]


def _is_for(tool: Tool, cls: PassClass, registry: Registry) -> bool:
    if not tool.hlo:
        return takes_mlir(cls)
    from sdykit.opt.hlo.pipelines import runs_on_hlo

    try:
        return runs_on_hlo(PassCall(cls.name), registry)
    except PipelineError:  # The pipeline has options without a default.
        return False


def _summary(cls: PassClass) -> str:
    """Return the first line of the docstring of the class itself."""
    return inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]


def _steps(cls: PassClass) -> Iterator[str]:
    """Yield the line that lists what a pipeline runs with its default options."""
    has_required = any(spec.default is MISSING for spec in option_specs(cls))
    if issubclass(cls, Pipeline) and not has_required:
        names = re.sub(r"\{[^{}]*\}", "", ", ".join(cls().passes()))  # without their options
        yield _entry("", f"Runs {names}.")


def _options(cls: PassClass) -> Iterator[str]:
    for spec in option_specs(cls):
        default = f" (default {spec.default_text})" if spec.default_text else ""
        yield _entry(f"  {spec.name}={spec.metavar}", spec.help + default)


def _upstream_options(upstream: UpstreamPass) -> Iterator[str]:
    for option in upstream.options:
        default = f" (default {option.default})" if option.default else ""
        yield _entry(f"  {option.name}=<...>", option.help + default)


def _width() -> int:
    return min(_MAX_WIDTH, shutil.get_terminal_size((_MAX_WIDTH, 24)).columns)


def _entry(name: str, text: str) -> str:
    """Format a name and its explanation side by side, or below each other if the name is long."""
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
