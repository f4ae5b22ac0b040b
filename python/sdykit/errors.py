"""The exceptions of sdykit, and positions in files that errors name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileLocation:
    """A position in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class SdykitError(Exception):
    """Base of every error a user can cause; its text is what the command line prints."""


class PipelineError(SdykitError):
    """A pipeline names an unknown pass or option, or nests passes wrongly."""


class PassLoadError(SdykitError):
    """A user's pass file cannot be read or run, or does not define passes as it must."""


class PassFailure(SdykitError):
    """A pass failed; the located diagnostic has been emitted already.

    Raised by `sdykit.core.fail` to leave the pass, and by `sdykit.core.run_pipeline`
    to tell the caller.
    """


class AttributeSyntaxError(SdykitError, ValueError):
    """The text of an attribute or type does not follow its assembly format."""


class MissingExtra(SdykitError, ImportError):
    """A library of an extra of the package is missing; the text says how to install it."""
