"""Flags from the environment and the command line, on top of a configuration.

    config = resolve(SparsecoreConfig(), arguments=["--xla_sc_detect_nan=true"])

What is said last in this list counts:

1. the default,
2. the configuration,
3. `XLA_FLAGS`, `LIBTPU_INIT_ARGS`, `SDYKIT_FLAGS`, in this order,
4. the command line.

Of a flag that is given twice in one place, the later one counts. `XLA_FLAGS` and
`LIBTPU_INIT_ARGS` have flags of other programs, which are passed over; everywhere else an
unknown flag is an error.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sdykit.sparsecore.config.kinds import LOG_MODULES, Boolean
from sdykit.sparsecore.config.sparsecore_config import (
    FLAGS,
    WAITING,
    SparsecoreConfig,
    checked,
    unfit,
)
from sdykit.sparsecore.errors import SparseCoreError, instead_of, nearest, shown

VARIABLES: Final = ("XLA_FLAGS", "LIBTPU_INIT_ARGS", "SDYKIT_FLAGS")
"""The environment variables with flags; a later one counts more."""

OWN_VARIABLE: Final = "SDYKIT_FLAGS"
"""The variable with no other program's flags."""

MOVED: Final = "SDYKIT_MOVED_FLAGS"
"""The variable with those flags of `LIBTPU_INIT_ARGS` that stood in `XLA_FLAGS` before the plugin
moved them; it is for errors alone."""

COMMAND_LINE: Final = "command line"

_SLIP: Final = 0.9
"""From this likeness on, another program's flag may be one of ours, mistyped."""


def resolve(
    config: SparsecoreConfig | None = None,
    *,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> SparsecoreConfig:
    """Put the flags of environment and command line on top of a configuration.

    Args:
        config: by default, every setting has its default.
        arguments: words as `--xla_sc_detect_nan=true`, and none that are no flags; see
            `split_arguments`.
        environment: by default, that of the process.

    Raises:
        SparseCoreError: a flag is unknown, or its value is not one it can have; the text
            begins with the variable, or with `command line`.

    Warns:
        UserWarning: a flag in `XLA_FLAGS` or `LIBTPU_INIT_ARGS` looks like a slip of the pen, or a
            setting has no effect yet.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, object] = {}
    moved = frozenset(_split(MOVED, environment.get(MOVED, "")))
    for variable in VARIABLES:
        words = _split(variable, environment.get(variable, ""))
        if variable == OWN_VARIABLE:
            values |= _own(variable, words)
        else:
            values |= _shared(variable, words, moved if variable == "LIBTPU_INIT_ARGS" else ())
    values |= _own(COMMAND_LINE, arguments)
    config = SparsecoreConfig() if config is None else config
    config = replace(config, **values) if values else config
    for name, part in WAITING.items():
        if getattr(config, name) != getattr(SparsecoreConfig, name):
            warnings.warn(
                f"{name} is {shown(getattr(config, name))}, and has no effect yet: it waits for "
                f"{part}",
                stacklevel=2,
            )
    return config


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the words of a command line into flags for `resolve` and all others.

    A word that looks like a misspelt flag goes to the flags, where the error names the right
    one. Behind `--` there are no flags.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    flags = [word for word in arguments[:end] if _looks_like_ours(word)]
    others = [word for word in arguments[:end] if not _looks_like_ours(word)]
    return flags, [*others, *arguments[end:]]


def is_flag(word: str) -> bool:
    """Tell whether a word names a flag of the SparseCores; its value may be wrong."""
    parts = _taken_apart(word)
    return parts is not None and parts.name in FLAGS


def warn_of_slip(source: str, word: str, stacklevel: int = 2) -> None:
    """Warn if a word names none of the flags, but nearly one."""
    parts = _taken_apart(word)
    if parts is None or parts.name in FLAGS:
        return
    if close := nearest(parts.name, FLAGS, _SLIP):
        warnings.warn(
            f"{source}: --{parts.name} is left to others; did you mean --{close}?",
            stacklevel=stacklevel,
        )


@dataclass(frozen=True)
class _Word:
    """One flag as it was typed, taken apart."""

    name: str
    value: str | None
    negated: bool = False
    """It was `--no<name>`."""


def _taken_apart(word: str) -> _Word | None:
    """Take a flag apart; None if the word does not begin with a dash."""
    dashes = 2 if word.startswith("--") else 1
    if not word.startswith("-"):
        return None
    name, equals, value = word[dashes:].partition("=")
    # As libtpu takes it, for booleans.
    if name.startswith("no") and isinstance(FLAGS.get(name[2:]), Boolean) and not equals:
        return _Word(name[2:], None, negated=True)
    return _Word(name, value if equals else None)


def _looks_like_ours(word: str) -> bool:
    parts = _taken_apart(word)
    if parts is None:
        return False
    # A command of this package has no other flags of XLA.
    return (
        parts.name in FLAGS
        or parts.name.startswith(("xla_", "tf_xla_"))
        or nearest(parts.name, FLAGS, _SLIP) is not None
    )


def _split(source: str, text: str) -> list[str]:
    if not text:
        return []
    import shlex  # Only needed here; start-up counts.

    try:
        return shlex.split(text)
    except ValueError:
        # Somebody else's flags may be quoted by other rules.
        if source != OWN_VARIABLE and not any(name in text for name in FLAGS):
            return []
        raise SparseCoreError(
            f"{source}: a quotation mark is not closed in {shown(text)}"
        ) from None


def _own(source: str, words: Sequence[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for word in words:
        parts = _taken_apart(word)
        if parts is None:
            raise SparseCoreError(f"{source}: found {shown(word)}; expected --<flag>=<value>")
        if parts.name not in FLAGS:
            raise SparseCoreError(
                f"{source}: unknown flag --{parts.name}; {instead_of(parts.name, FLAGS)}"
            )
        values[parts.name] = _value(source, parts)
    return values


def _shared(variable: str, words: Sequence[str], moved: Container[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for word in words:
        source = "XLA_FLAGS" if word in moved else variable
        parts = _taken_apart(word)
        if parts is None:
            continue
        if parts.name in FLAGS:
            values[parts.name] = _value(source, _without_others_modules(parts))
        else:
            warn_of_slip(source, word, stacklevel=4)  # Where `resolve` is called.
    return values


def _without_others_modules(word: _Word) -> _Word:
    if word.name != "vmodule" or word.value is None:
        return word
    ours = [part for part in word.value.split(",") if part.partition("=")[0] in LOG_MODULES]
    return replace(word, value=",".join(ours))


def _value(source: str, word: _Word) -> object:
    kind = FLAGS[word.name]
    where = f"{source}: --{word.name}"
    if word.value is None:
        if not isinstance(kind, Boolean):
            raise SparseCoreError(f"{where} has no value; expected {kind.expected()}")
        return not word.negated
    try:
        value = kind.parsed(word.value)
    except ValueError as error:
        raise unfit(where, kind, word.value, error) from None
    return checked(where, kind, value)
