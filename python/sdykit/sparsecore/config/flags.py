"""Flags from the environment and the command line, on top of a configuration.

    config = resolve(SparsecoreConfig(), arguments=["--xla_sc_detect_nan=true"])

A later entry of this list overrides an earlier one:

1. the default,
2. the configuration,
3. `XLA_FLAGS`, `LIBTPU_INIT_ARGS`, `SDYKIT_FLAGS`, in this order,
4. the command line.

Of a flag that is set twice in one place, the later one counts. `XLA_FLAGS` and
`LIBTPU_INIT_ARGS` also have flags of other programs, which are ignored; unknown flags of SparseCores
are warned of. Everywhere else an unknown flag is an error.
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sdykit.sparsecore.config.kinds import LOG_MODULES, Boolean
from sdykit.sparsecore.config.sparsecore_config import (
    FLAGS,
    SparsecoreConfig,
    checked,
    unfit,
)
from sdykit.sparsecore.config.warn import warn
from sdykit.sparsecore.errors import SparseCoreError, nearest, shown, suggestion

VARIABLES: Final = ("XLA_FLAGS", "LIBTPU_INIT_ARGS", "SDYKIT_FLAGS")
"""The environment variables with flags; a later one overrides an earlier one."""

OWN_VARIABLE: Final = "SDYKIT_FLAGS"
"""The variable that has no other program's flags."""

MOVED: Final = "SDYKIT_MOVED_FLAGS"
"""The variable with those flags of `LIBTPU_INIT_ARGS` that the plugin moved there from `XLA_FLAGS`;
errors name the variable that the user wrote."""

COMMAND_LINE: Final = "command line"

_OF_SPARSE_CORES: Final = ("xla_sc_", "xla_sparse_core_")
"""Prefixes of libtpu's flags for SparseCores."""

_SLIP: Final = 0.9
"""The similarity from which an unknown flag is taken for a misspelled one of ours."""


def resolve(
    config: SparsecoreConfig | None = None,
    *,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> SparsecoreConfig:
    """Return a configuration with the flags of the environment and the command line applied.

    Args:
        config: the configuration to start from; None: all settings have their defaults.
        arguments: words such as `--xla_sc_detect_nan=true`, all of them flags; see
            `split_arguments`.
        environment: the environment variables; None: those of the process.

    Raises:
        SparseCoreError: a flag is unknown, or has a value that it cannot have; the text
            begins with the variable, or with `command line`.

    Warns:
        UserWarning: a flag in `XLA_FLAGS` or `LIBTPU_INIT_ARGS` seems to be misspelled, or has no
            effect.
    """
    environment = os.environ if environment is None else environment
    values: dict[str, object] = {}
    moved = frozenset(_split(MOVED, environment.get(MOVED, "")))
    for variable in VARIABLES:
        words = _split(variable, environment.get(variable, ""))
        if variable == OWN_VARIABLE:
            values |= _read_own(variable, words)
        else:
            values |= _read_shared(variable, words, moved if variable == "LIBTPU_INIT_ARGS" else ())
    values |= _read_own(COMMAND_LINE, arguments)
    config = SparsecoreConfig() if config is None else config
    return replace(config, **values) if values else config


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the words of a command line into flags for `resolve` and all others.

    A word that looks like a misspelled flag is among the flags, so that `resolve` can name the
    right one. After `--` there are no flags.

    Returns:
        The flags, and the other words.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    flags = [word for word in arguments[:end] if _looks_like_ours(word)]
    others = [word for word in arguments[:end] if not _looks_like_ours(word)]
    return flags, [*others, *arguments[end:]]


def is_flag(word: str) -> bool:
    """Return whether a word names a flag of the SparseCores; its value may be wrong."""
    flag = _parse_word(word)
    return flag is not None and flag.name in FLAGS


def warn_of_slip(source: str, word: str) -> bool:
    """Warn if a word is an unknown flag whose name is similar to that of a known one.

    Args:
        source: the variable that has the word, for the warning.
        word: the word.

    Returns:
        Whether it is.
    """
    flag = _parse_word(word)
    close = None
    if flag is not None and flag.name not in FLAGS:
        close = nearest(flag.name, FLAGS, _SLIP)
    if flag is None or close is None:
        return False
    warn(f"{source}: --{flag.name} is left to others; did you mean --{close}?")
    return True


@dataclass(frozen=True)
class _Word:
    """A word of the form `--name=value`, `--name` or `--noname`."""

    name: str
    value: str | None
    negated: bool = False
    """Whether it was `--no<name>`."""


def _parse_word(word: str) -> _Word | None:
    """Return the parts of a flag, or None if the word does not begin with a dash."""
    dashes = 2 if word.startswith("--") else 1
    if not word.startswith("-"):
        return None
    name, equals, value = word[dashes:].partition("=")
    # libtpu takes --no<name> for booleans.
    if name.startswith("no") and isinstance(FLAGS.get(name[2:]), Boolean) and not equals:
        return _Word(name[2:], None, negated=True)
    return _Word(name, value if equals else None)


def _looks_like_ours(word: str) -> bool:
    flag = _parse_word(word)
    if flag is None:
        return False
    # A command of this package has no other flags of XLA.
    return (
        flag.name in FLAGS
        or flag.name.startswith(("xla_", "tf_xla_"))
        or nearest(flag.name, FLAGS, _SLIP) is not None
    )


def _split(source: str, text: str) -> list[str]:
    if not text:
        return []
    import shlex  # Only needed here; start-up counts.

    try:
        return shlex.split(text)
    except ValueError:
        # Another program may quote its flags by other rules.
        if source != OWN_VARIABLE and not any(name in text for name in FLAGS):
            return []
        raise SparseCoreError(
            f"{source}: a quotation mark is not closed in {shown(text)}"
        ) from None


def _read_own(source: str, words: Sequence[str]) -> dict[str, object]:
    """Return the settings of words that are all flags of ours."""
    values: dict[str, object] = {}
    for word in words:
        flag = _parse_word(word)
        if flag is None:
            raise SparseCoreError(f"{source}: found {shown(word)}; expected --<flag>=<value>")
        if flag.name not in FLAGS:
            raise SparseCoreError(
                f"{source}: unknown flag --{flag.name}; {suggestion(flag.name, FLAGS)}"
            )
        values[flag.name] = _value(source, flag)
    return values


def _read_shared(variable: str, words: Sequence[str], moved: Container[str]) -> dict[str, object]:
    """Return the settings of those words that are flags of ours."""
    values: dict[str, object] = {}
    for word in words:
        source = "XLA_FLAGS" if word in moved else variable
        flag = _parse_word(word)
        if flag is None:
            continue
        if flag.name in FLAGS:
            values[flag.name] = _value(source, _without_others_modules(flag))
        elif not warn_of_slip(source, word) and flag.name.startswith(_OF_SPARSE_CORES):
            warn(f"{source}: --{flag.name} has no effect: simulated SparseCores have no such flag")
    return values


def _without_others_modules(flag: _Word) -> _Word:
    """Remove the modules of other programs from `vmodule`."""
    if flag.name != "vmodule" or flag.value is None:
        return flag
    ours = [part for part in flag.value.split(",") if part.partition("=")[0] in LOG_MODULES]
    return replace(flag, value=",".join(ours))


def _value(source: str, flag: _Word) -> object:
    kind = FLAGS[flag.name]
    where = f"{source}: --{flag.name}"
    if flag.value is None:
        if not isinstance(kind, Boolean):
            raise SparseCoreError(f"{where} has no value; expected {kind.expected()}")
        return not flag.negated
    try:
        value = kind.parsed(flag.value)
    except ValueError as error:
        raise unfit(where, kind, flag.value, error) from None
    return checked(where, kind, value)
