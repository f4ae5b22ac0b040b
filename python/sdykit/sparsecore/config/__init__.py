"""The configuration of the SparseCores: fields, and flags with the names that libtpu has.

    config = SparsecoreConfig(allow_id_dropping=True, xla_sc_detect_nan=True)
    config = resolve(config)  # with the flags of the environment

`docs/flags.md` describes each setting, with the tests that show its effect. Read
`sparsecore_config` first, the settings; `kinds` has the values that they can have, and `flags`
reads them from the environment and command lines.
"""

from sdykit.sparsecore.config.flags import MOVED, VARIABLES, resolve, split_arguments
from sdykit.sparsecore.config.sanitizer import Sanitizer
from sdykit.sparsecore.config.sparsecore_config import FLAGS, SETTINGS, SparsecoreConfig
from sdykit.sparsecore.config.sparsecore_config import checked as checked
from sdykit.sparsecore.config.sparsecore_config import unfit as unfit

__all__ = [
    "FLAGS",
    "MOVED",
    "SETTINGS",
    "VARIABLES",
    "Sanitizer",
    "SparsecoreConfig",
    "resolve",
    "split_arguments",
]
