"""The exceptions of sdykit."""

from __future__ import annotations


class SdykitError(Exception):
    """Base of every error a user can cause; its text is what the command line prints."""


class PipelineError(SdykitError):
    """A pipeline names an unknown pass or option, or nests passes wrongly."""


class PassLoadError(SdykitError):
    """A user's pass file cannot be read, imported, or holds no pass."""


class PassFailure(SdykitError):
    """A pass failed; the located diagnostic has been emitted already.

    Raised by `sdykit.core.fail` to leave the pass, and by `sdykit.core.run_pipeline`
    to tell the caller.
    """


class AttributeSyntaxError(SdykitError, ValueError):
    """The text of an attribute or type does not follow its assembly format."""
