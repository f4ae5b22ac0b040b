"""The settings, with their defaults and documentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, Self

from sdykit.sparsecore.config.kinds import (
    Boolean,
    FileName,
    Integer,
    Kind,
    LogLevels,
    PerTable,
    SanitizerText,
    Word,
    flag,
    parse_log_levels,
    setting,
)
from sdykit.sparsecore.config.sanitizer import Sanitizer, parse_sanitizer
from sdykit.sparsecore.config.warn import warn
from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion

# Not part of the hash, as dictionaries have none. Equal configurations still have equal hashes.
_LIMITS: Final = {"kind": PerTable(), "flag": False}


@dataclass(frozen=True, kw_only=True)
class SparsecoreConfig:
    """All settings. Of the checks that cost speed, only that of ids on the host is on by default.

    Raises:
        SparseCoreError: a setting is unknown, or has a value that it cannot have.

    Warns:
        UserWarning: `initialize_tables_on_host` and `enable_fast_table_initialization` are both
            true; the second wins, and the first becomes false. Or a setting has no effect yet.
    """

    disable_table_stacking: bool = setting(False, Boolean())
    """Keep every table apart, also those that could share a stack."""
    max_ids_per_chip_per_sample: int = setting(64, Integer(1))
    """The maximum number of ids that a chip takes from one sample, over all tables. Checked before
    the finer limits; ids over it are an error, or dropped if `allow_id_dropping`."""
    max_ids_per_table: dict[str, int] | None = field(default=None, hash=False, metadata=_LIMITS)
    """The maximum number of ids of a step (duplicates across samples included) by the name of the
    table: the sum over all SparseCores that send ids and all partitions. A process counts the ids
    of its own devices. A partition's limit is at most this one. A table that is not named, and all
    tables if it is `None`, have the limit that follows from those of their partitions."""
    max_unique_ids_per_table: dict[str, int] | None = field(
        default=None, hash=False, metadata=_LIMITS
    )
    """The same for unique ids: the sum over all lists, of the ids that a SparseCore sends to a
    partition, of the unique ids of each."""
    allow_id_dropping: bool = setting(False, Boolean())
    """Whether ids that exceed a compiled limit are dropped and counted in the statistics, or stop
    the run with an error."""
    initialize_tables_on_host: bool = setting(True, Boolean())
    """Initialize tables in host memory and copy them to HBM, or initialize them on the device. The
    values are the same."""
    enable_fast_table_initialization: bool = setting(False, Boolean())
    """Initialize tables on the device, as `initialize_tables_on_host=False`. If both are true,
    there is a warning, and this one wins."""

    xla_sparse_core_max_ids_file: str = flag("", FileName())
    """File with the limits of every table, as `sdykit limits` writes it; empty for none. A file for
    another program is an error."""
    xla_sparse_core_estimate_max_ids: bool = flag(False, Boolean())
    """Estimate the limits from the data: those of an `Embedding` from its first batch. A later
    batch that exceeds them raises them, and programs are compiled again; both are log lines."""
    xla_sparse_core_enable_id_bound_check: bool = flag(True, Boolean())
    """Check on the host that every id is in `[0, vocabulary)`. The error names feature,
    sample, id and vocabulary. The layout `sdykit` of preprocessing always checks, and warns if this
    is false."""
    xla_sc_detect_nan: bool = flag(False, Boolean())
    """Compile in a check of inputs and outputs. The error says where the first NaN was found."""
    xla_sc_assert_level: Literal["none", "bounds"] = flag("none", Word(("none", "bounds")))
    """`bounds`: compile in a check of every load, store and DMA against the bounds of its
    region. The first violation stops the run, and the error names the access. With `none`, too,
    each row is checked against its partition, and ids against their vocabulary on the host."""
    xla_tpu_buffer_contents_sanitizer_config: str = flag("", SanitizerText())
    """Compile in a search for buffers that are changed by an operation that does not own them, on the
    cores that are named: `cores_to_sanitize: [TC, SC_SCS, SC_TILE], sanitizer_mode: LOCAL_ONLY`.
    The error names step and buffer. It needs `execute="chip"`. Empty: on none."""
    xla_tpu_verify_launch_id_across_cores: bool = flag(False, Boolean())
    """Compile in a check that all cores agree on the launch they execute: each SparseCore compares XLA's
    id of the execution with those of all devices. It needs `execute="chip"`."""
    xla_sc_num_serialized_tables_to_optimize_hbm: int = flag(0, Integer(0))
    """The number of tables, or stacks of tables, that are processed one after another, so that fewer are
    on the HBM stack at once: a lower peak in ledgers, a slower step in the cost model. They are those
    with the largest stacks; 1 has no effect, as a table alone waits for none."""
    tf_xla_disable_full_embedding_pipelining: bool = flag(False, Boolean())
    """Do not overlap the work of TensorCore and SparseCore: steps of `pipelined` then look a batch up,
    run the dense part and update the tables, in this order."""
    maximum_parallel_iterations: int = flag(1, Integer(0, 1024))
    """The number of steps ahead that the host prepares its input: `prefetch` honours it. The HBM heap
    grows with it."""
    vmodule: str = flag("", LogLevels())
    """`best_fit_allocator=1`: log the peak use of the HBM heap and its largest allocations when tables
    are made and when lookups and updates are traced."""

    def __new__(cls, **settings: Any) -> Self:
        # Before the generated __init__, whose error would suggest no name.
        for name in settings:
            if name not in SETTINGS:
                raise SparseCoreError(
                    f"config: unknown setting {name!r}; {suggestion(name, SETTINGS)}"
                )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, kind in SETTINGS.items():
            value = checked(f"config: {name}", kind, getattr(self, name))
            object.__setattr__(self, name, value)
        if self.initialize_tables_on_host and self.enable_fast_table_initialization:
            warn(
                "config: initialize_tables_on_host and enable_fast_table_initialization are both"
                " true; tables are made on the device. Set initialize_tables_on_host=False to say"
                " so"
            )
            object.__setattr__(self, "initialize_tables_on_host", False)
        if self.xla_sc_num_serialized_tables_to_optimize_hbm == 1:
            warn(
                "config: xla_sc_num_serialized_tables_to_optimize_hbm is 1, and has no effect: a table"
                " alone waits for none; expected 0, or at least 2"
            )

    @property
    def sanitizer(self) -> Sanitizer | None:
        """The sanitizer of `xla_tpu_buffer_contents_sanitizer_config`; None if it is off."""
        return parse_sanitizer(self.xla_tpu_buffer_contents_sanitizer_config)

    def log_level(self, module: str) -> int:
        """Return the log level of a module in `vmodule`, or 0 if it is not named there."""
        return parse_log_levels(self.vmodule).get(module, 0)


SETTINGS: Final[Mapping[str, Kind]] = {
    each.name: each.metadata["kind"] for each in fields(SparsecoreConfig)
}
"""The kinds of all fields and flags, by name."""

FLAGS: Final[Mapping[str, Kind]] = {
    each.name: each.metadata["kind"] for each in fields(SparsecoreConfig) if each.metadata["flag"]
}
"""The kinds of those settings that are flags, by name."""


def checked(where: str, kind: Kind, value: object) -> object:
    """Return a value as the configuration stores it.

    Args:
        where: the setting and where it was found, which the error begins with.
        kind: the kind of the setting.
        value: the value.

    Raises:
        SparseCoreError: the setting cannot have the value.
    """
    try:
        return kind.checked(value)
    except ValueError as error:
        raise unfit(where, kind, value, error) from None


def unfit(where: str, kind: Kind, value: object, error: ValueError) -> SparseCoreError:
    """Return the error about a value that a setting cannot have."""
    detail = f" ({error})" if str(error) else ""
    return SparseCoreError(f"{where} is {shown(value)}{detail}; expected {kind.expected()}")
