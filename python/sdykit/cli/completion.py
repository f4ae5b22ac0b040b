"""`sdykit completion`: a script for the shell, made from the tables of flags and passes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sdykit.cli.command import Command
from sdykit.opt.flags.types import Flag
from sdykit.opt.process.guard import Status
from sdykit.opt.tools import TOOLS, Tool

if TYPE_CHECKING:
    from sdykit.core import Registry

_SHELLS = ("bash", "zsh")
_SCRIPT = Path(__file__).with_name("completion.sh")
_DESCRIPTION = """\
Prints a script that completes flags, passes, their options and files of sdykit, sdy-opt, mpmd-opt
and hlo-opt in bash or zsh, also within --pass-pipeline. The script holds all names, so that it is
quick: generate it again after an update. Passes in your own files are not completed.
"""
_EXAMPLES = """\
  source <(sdykit completion bash)
      for this shell; in ~/.bashrc, for all

  sdykit completion bash > ~/.local/share/bash-completion/completions/sdy-opt
      loaded at the first completion of sdy-opt; do the same for the other programs

  source <(sdykit completion zsh)
      in ~/.zshrc, below compinit
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=" or ".join(_SHELLS))


def _run(_: argparse.Namespace, status: Status) -> int:
    status("listing flags and passes")
    sys.stdout.write("\n".join(script()) + "\n")
    return 0


Table = dict[str, list[str]]
"""The completions of a place, by the words that identify the place."""


def script() -> Iterator[str]:
    """Yield the parts of the script, which is the same for both shells."""
    from sdykit.core import Registry

    registry = Registry()
    yield _SCRIPT.read_text().rstrip()
    flags: Table = {}
    values: Table = {}
    passes: Table = {}
    for tool in TOOLS.values():
        passes[tool.name] = sorted({*_passes(tool, registry)})
        flags[tool.name] = [_spelled(flag) for flag in tool.flags.flags if len(flag.name) > 1]
        for flag in tool.flags.flags:
            values[f"{tool.name} --{flag.name}"] = list(flag.choices)
    for program, parser in _parsers():
        actions = parser._actions
        long = [
            (word, each) for each in actions for word in each.option_strings if word[1:2] == "-"
        ]
        flags[program] = [word if each.nargs == 0 else f"{word}=" for word, each in long]
        for action in actions:
            for word in action.option_strings or [""]:
                choices = list(map(str, action.choices or ()))
                values[f"{program} {word}".rstrip()] = choices
    yield _function("flags", "$1", flags)
    yield _function("passes", "$1", passes)
    yield _function("options", "$1", _options(passes, registry))
    yield _function("values", "$1${2:+ $2}", values)


def _spelled(flag: Flag) -> str:
    return f"--{flag.name}=" if flag.takes_next else f"--{flag.name}"


def _passes(tool: Tool, registry: Registry) -> Iterator[str]:
    """Yield the names of the passes of a tool."""
    from sdykit.core.upstream import UPSTREAM_PASSES
    from sdykit.opt.cpp.passes import EXTRA_PASSES
    from sdykit.opt.flags.help import classes_for

    yield from (cls.name for _, classes in classes_for(registry, tool) for cls in classes)
    if not tool.hlo:
        yield from UPSTREAM_PASSES
        yield from EXTRA_PASSES


def _options(passes: Table, registry: Registry) -> Table:
    """Return the options of all passes by their names."""
    from sdykit.core.options import option_specs
    from sdykit.core.upstream import UPSTREAM_PASSES
    from sdykit.opt.cpp.passes import EXTRA_PASSES

    found: Table = {}
    for name in sorted({name for names in passes.values() for name in names}):
        cls = registry.find(name)
        if cls is not None:
            found[name] = [spec.name for spec in option_specs(cls)]
        else:
            found[name] = [each.name for each in (UPSTREAM_PASSES | EXTRA_PASSES)[name].options]
    return found


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the parsers of `sdykit` and of its subcommands, each with the words that select it."""
    from sdykit.cli.main import find_commands, parser_of

    top = parser_of(find_commands())
    yield top.prog, top
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from ((f"{top.prog} {name}", each) for name, each in action.choices.items())


def _function(name: str, key: str, table: Table) -> str:
    """Return a shell function that prints the entry of a table for its arguments."""
    by_words: dict[str, list[str]] = {}
    for place, words in table.items():
        if words:
            by_words.setdefault(" ".join(dict.fromkeys(words)), []).append(place)
    cases = [f"    {_pattern(places)}) echo '{words}' ;;" for words, places in by_words.items()]
    return "\n".join([f"_sdykit_{name}() {{", f'  case "{key}" in', *cases, "  esac", "}"])


def _pattern(places: Iterable[str]) -> str:
    return " | ".join(f"'{place}'" for place in places)


COMMAND = Command(
    name="completion",
    summary="print a script that completes command lines in bash or zsh",
    description=_DESCRIPTION,
    examples=_EXAMPLES,
    configure=_configure,
    run=_run,
)
