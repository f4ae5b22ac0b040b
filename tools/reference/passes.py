"""The page of the passes: contract and options of each."""

from __future__ import annotations

import inspect

from sdykit.core import Pipeline, Registry
from sdykit.core.options import OptionSpec, option_specs
from sdykit.core.registry import PassClass

FAMILIES = ("sdy", "xla", "mpmd", "async", "sparsecore")

_INTRODUCTION = """\
<!-- Written by tools/generate_reference.py; change that, or the docstrings in passes/. -->

# The passes

Every pass, with its contract and the IR before and after. `sdy-opt --help` has their options
in short. The `sdy` family comes first, then the `xla`, the `mpmd`, the `async` and the `sparsecore`
family: of each, the pipelines that frontends run, if there are any, stand before the passes, which
are in alphabetical order.
"""


def passes_page() -> str:
    """Return the text of the page."""
    registry = Registry()
    classes = [registry.get(name) for name in registry.names()]
    unknown = [cls.name for cls in classes if _family(cls) not in FAMILIES]
    if unknown:
        raise ValueError(f"passes of a family that the page does not have: {unknown}")
    classes.sort(key=lambda cls: (FAMILIES.index(_family(cls)), not _is_pipeline(cls), cls.name))
    return "\n".join([_INTRODUCTION, *map(_section, classes)])


def _family(cls: PassClass) -> str:
    return cls.name.partition("-")[0]


def _is_pipeline(cls: PassClass) -> bool:
    return issubclass(cls, Pipeline)


def _section(cls: PassClass) -> str:
    parts = [f"## -{cls.name}", inspect.cleandoc(cls.__doc__ or "")]
    options = option_specs(cls)
    if options:
        rows = ["| Option | Default | Effect |", "|---|---|---|", *map(_row, options)]
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _row(option: OptionSpec) -> str:
    default = f"`{option.default_text}`" if option.default_text else ""
    cells = (f"`{option.name}={option.metavar}`", default, " ".join(option.help.split()))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
