"""What settings do and what errors mean, for `sdykit explain` and the pages that have both.

    explained("xla_sc_detect_nan").effect
    errors_in("... Gather operand too large: ...")[0].remedy

The texts of settings are the docstrings of `SparsecoreConfig` (`setting_texts`), those of errors are
in `error_texts`. `docs/flags.md` and `docs/errors.md` are generated from them.
"""

from sdykit.sparsecore.explain.error_texts import ERRORS, ErrorText, error_named, errors_in
from sdykit.sparsecore.explain.setting_texts import Explained, errors_of, explained, setting_named

__all__ = [
    "ERRORS",
    "ErrorText",
    "Explained",
    "error_named",
    "errors_in",
    "errors_of",
    "explained",
    "setting_named",
]
