"""The errors of the SparseCores: how their texts are known, what they mean, and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class ErrorText:
    """An error that users meet."""

    name: str
    """A short name, as `sdykit explain` takes it: `id-out-of-vocabulary`."""
    pattern: str
    """A regular expression that is found in the texts of this error, and in those of no other; a
    blank stands for any white space."""
    example: str
    """A text of this error, in which `...` stands for the rest."""
    meaning: str
    """What is wrong."""
    remedy: str
    """What to do."""
    settings: tuple[str, ...] = ()
    """The settings of `SparsecoreConfig` that it has to do with."""

    def matches(self, text: str) -> bool:
        """Return whether a text, which may be folded, is of this error."""
        return re.search(self.pattern, " ".join(text.split())) is not None


ERRORS: Final = (
    ErrorText(
        name="spmem-allocations",
        pattern=r"Fixed size allocations .*do not fit in TileSpmem",
        example="Fixed size allocations (1245184 bytes) do not fit in TileSpmem (524288 bytes): ...",
        meaning="The buffers of one phase of a program are larger than the memory of a tile. Those of"
        " lookups and updates grow with the limits that the program is compiled for, and with the"
        " samples of a SparseCore. Nothing was run.",
        remedy="Compile with lower limits: the text lists the buffers by size, the limits that each"
        " follows from, and the nearest limits that fit. Count what the data need with `sdykit"
        " limits`. If they need more, use a smaller batch, more chips, or minibatches.",
        settings=(
            "xla_sparse_core_max_ids_file",
            "xla_sparse_core_estimate_max_ids",
            "max_ids_per_table",
            "max_unique_ids_per_table",
        ),
    ),
    ErrorText(
        name="gather-operand",
        pattern=r"Gather operand too large",
        example="Gather operand too large: 16384x64 floats (...) are 4194304 bytes, and 507904 of the"
        " 524288 bytes of TileSpmem are left for it; ...",
        meaning="The rows that a tile gathers at once do not fit in its memory beside the other"
        ' buffers, and `staging="spmem"` forbids to keep them in HBM.',
        remedy='Use `staging="auto"`, the default, which keeps such rows in HBM and counts the'
        " transfers; or lower the limit of unique ids, the batch or the width of rows, or use more"
        " chips.",
        settings=("xla_sparse_core_max_ids_file", "max_unique_ids_per_table"),
    ),
    ErrorText(
        name="hbm-out-of-memory",
        pattern=r"Ran out of memory in HBM",
        example="lookup: Ran out of memory in HBM: 102400000000 bytes are needed on each device, and"
        " a device of chip v5p has ...",
        meaning="Tables, slots of optimizers, buffers of a batch and temporaries together are larger"
        " than the HBM of a device of the simulated chip. The memory of this machine does not"
        " matter.",
        remedy="See the largest entries, which the text lists. Split tables over more devices, choose"
        " an optimizer with fewer slots, narrower rows, quantized tables or a smaller batch, or a"
        " chip with more HBM (`configure(chip=...)`).",
    ),
    ErrorText(
        name="partition-limit",
        pattern=r"sends \d+ (unique )?ids to partition \d+.*; compiled for \d+ "
        r"\(max_(unique_)?ids_per_partition\)",
        example="table 'items': SparseCore 0 sends 300 ids to partition 2; compiled for 256"
        " (max_ids_per_partition): raise it, or set allow_id_dropping",
        meaning="A batch has more ids, or unique ids, for one partition of a table than the program"
        " has room for. It was found in preprocessing, before a program ran.",
        remedy="Raise the limit of the table: `sdykit limits` counts what data need, with"
        " `--headroom` for data that were not seen. Or let limits follow the data, split batches in"
        " minibatches, or drop the ids over the limit, which changes results.",
        settings=(
            "allow_id_dropping",
            "xla_sparse_core_max_ids_file",
            "xla_sparse_core_estimate_max_ids",
        ),
    ),
    ErrorText(
        name="minibatch-limit",
        pattern=r"table '.*': \d+ ids do not fit even in \d+ minibatches, as ",
        example="table 'items': 12 ids do not fit even in 64 minibatches, as max_ids_per_partition is"
        " 8 for each. ...",
        meaning="Minibatches split a batch by id, so that ids that are all equal, or too many for a"
        " low limit, stay together and still exceed it.",
        remedy="Raise the limit that is named in the TableSpec; the text says which is enough without"
        " minibatches. Or allow that ids are dropped.",
        settings=("allow_id_dropping",),
    ),
    ErrorText(
        name="program-limit",
        pattern=r"\d+ (unique )?ids for partition \d+; the program is compiled for \d+",
        example="device 0, SparseCore 1, minibatch 0: 300 ids for partition 2; the program is compiled"
        " for 256 (max_ids_per_partition); ...",
        meaning="A program was run with more ids than it is compiled for: with buffers that were"
        " preprocessed with higher limits, or with raw ids and as_on_chip=True, which nothing has"
        " preprocessed.",
        remedy="Use the same configuration, limits and feature specs in preprocessing and in the"
        " program. For raw ids, or if the ids are as intended, compile the program again with the"
        " number that the text names.",
        settings=("xla_sparse_core_max_ids_file", "xla_sparse_core_estimate_max_ids"),
    ),
    ErrorText(
        name="table-limit",
        pattern=r"a step has \d+ (unique )?ids, over all SparseCores and partitions; compiled for",
        example="table 'items': a step has 10 ids, over all SparseCores and partitions; compiled for 9"
        " (max_ids_per_table): raise it, or set allow_id_dropping",
        meaning="A step has more ids, or unique ids, of a table than the setting that the text names"
        " allows for it.",
        remedy="Raise the number of the table in that setting, use a smaller batch, or allow that ids"
        " are dropped, which changes results.",
        settings=("max_ids_per_table", "max_unique_ids_per_table", "allow_id_dropping"),
    ),
    ErrorText(
        name="sample-limit",
        pattern=r"have \d+ ids together; compiled for \d+ \(max_ids_per_chip_per_sample\)",
        example="device 0, sample 3: the features user, item have 65 ids together; compiled for 64"
        " (max_ids_per_chip_per_sample): raise it, or set allow_id_dropping",
        meaning="One sample has more ids, over all features, than a chip takes from one sample.",
        remedy="Raise `max_ids_per_chip_per_sample`, cut long lists of ids in the input, or allow that"
        " ids are dropped, those of later features first.",
        settings=("max_ids_per_chip_per_sample", "allow_id_dropping"),
    ),
    ErrorText(
        name="buffer-room",
        pattern=r"ids of device \d+ have no place in its buffers; compiled for",
        example="table 'items': 12 ids of device 0 have no place in its buffers; compiled for 64"
        " entries (buffer_size_per_device): raise it",
        meaning="The lists of all partitions, each padded to a multiple of 8 entries, are longer than"
        " the buffer of a device. The limits of the partitions may hold all the same.",
        remedy="Raise `buffer_size_per_device`, or leave it out: then the buffer has room for all that"
        " the limits allow. These ids are never dropped, whatever `allow_id_dropping` is.",
        settings=("allow_id_dropping",),
    ),
    ErrorText(
        name="id-out-of-vocabulary",
        pattern=r"feature '.*', sample .*: id is -?\d+; expected one in \[",
        example="feature 'clicked', sample 3: id is 50000; expected one in [0, 50000), the vocabulary"
        " of table 'item'",
        meaning="An id names a row that the table does not have. It was found on the host.",
        remedy="Mend the input, or map ids into the vocabulary (`id % vocabulary_size`); or raise"
        " `vocabulary_size` of the TableSpec. Turning the check off does not make such an id right:"
        " the program finds it later, and can no longer name feature and sample.",
        settings=("xla_sparse_core_enable_id_bound_check",),
    ),
    ErrorText(
        name="raw-id-out-of-vocabulary",
        pattern=r"id \d+ is not in the vocabulary of \d+ rows",
        example="ids: sample 0, position 1: id 7 is not in the vocabulary of 7 rows; expected an id in"
        " [0, 7), or a negative one for no row",
        meaning="A lookup or update of raw ids was given an id that is no row of its table.",
        remedy="Mend the ids at the sample and position that the text names; write a negative id where"
        " a sample has fewer ids than others.",
    ),
    ErrorText(
        name="row-of-partition",
        pattern=r"embedding_ids: device \d+, .*: row \d+ of partition \d+, which has \d+ rows",
        example="embedding_ids: device 0, SparseCore 1, position 5: row 1000 of partition 2, which has"
        " 250 rows: id 4002 of the table, or of the stack that it is in, is not in its"
        " vocabulary; ...",
        meaning="Preprocessed buffers name a row that a partition of the table does not have: an id is"
        " out of the vocabulary, or the buffers were made for another table or number of devices.",
        remedy="Preprocess with the check of ids on, which names feature and sample; and with the"
        " feature specs and devices of the lookup.",
        settings=("xla_sparse_core_enable_id_bound_check",),
    ),
    ErrorText(
        name="row-pointers",
        pattern=r"row_pointers: device \d+, .*: the entries of partition \d+ end at",
        example="row_pointers: device 0, SparseCore 1, minibatch 0: the entries of partition 2 end at"
        " 90; expected 8 to 64, ...",
        meaning="Preprocessed buffers have another shape than the lookup takes them for.",
        remedy="Preprocess and look up with the same `enable_minibatching`, batch size and number of"
        " devices.",
    ),
    ErrorText(
        name="sample-of-batch",
        pattern=r"sample_ids: device \d+, .*: sample \d+ of a SparseCore that has",
        example="sample_ids: device 0, SparseCore 1, position 5: sample 12 of a SparseCore that has 8;"
        " ...",
        meaning="Preprocessed buffers name a sample that the batch of the program does not have.",
        remedy="Give batches of the size that the feature specs say, in preprocessing and in the"
        " program.",
    ),
    ErrorText(
        name="batch-of-another-layer",
        pattern=r"batch\[.*\] was preprocessed for other features: ",
        example="lookup: batch['items'] was preprocessed for other features: ... Preprocess it with"
        " this layer, or look it up with the layer that preprocessed it",
        meaning="The batch was preprocessed by an `Embedding` whose tables are stacked otherwise, so"
        " that its ids would be other rows here.",
        remedy="Preprocess the batch with the layer that looks it up, or look it up with the layer that"
        " preprocessed it.",
        settings=("disable_table_stacking",),
    ),
    ErrorText(
        name="nan",
        pattern=r"NaN (read from|written to) \S+ at or after \[",
        example="NaN read from table at or after [2, 0]",
        meaning="An array that a program reads, or a result that it writes, has a NaN at the position"
        " or among the few elements after it that are read with it.",
        remedy="If an input has it, look for it where that is made: initial values, gradients, weights"
        " that sum to 0. If a result has it while the inputs have none, lower the learning rate or"
        " clip gradients. Without the flag the program goes on with the NaN.",
        settings=("xla_sc_detect_nan",),
    ),
    ErrorText(
        name="changed-buffer",
        pattern=r"sanitizer: .*'\w+',? (changed|which it does not write)",
        example="sanitizer: step 'gather' changed 'entry_gains', which it does not write; SparseCore 0,"
        " minibatch 0, partition 2, tile 3",
        meaning="A step of a chip's program changed a buffer that it does not say it writes; or what is"
        " between steps did, or a phase changed an array of the caller. Loops are counted from 0.",
        remedy="If a pass of yours changed the program, look for its stores in that step: one that"
        " is not declared, or one past the end of a buffer, which `xla_sc_assert_level=bounds` finds."
        " Otherwise it is a bug of sdykit.",
        settings=("xla_tpu_buffer_contents_sanitizer_config", "xla_sc_assert_level"),
    ),
    ErrorText(
        name="other-launch",
        pattern=r"launch: SparseCore \d+ executes launch -?\d+, and device \d+ launch",
        example="lookup: launch: SparseCore 0 executes launch 41, and device 1 launch 42; expected that"
        " all cores execute one launch",
        meaning="Devices that exchange ids and rows run different executions of a program: XLA's id of"
        " the execution, which they exchange first, is not the same on all of them.",
        remedy="Look for a device that runs a step more or less than the others, or another program:"
        " in branches, or in processes that are not started alike. Otherwise it is a bug of sdykit.",
        settings=("xla_tpu_verify_launch_id_across_cores",),
    ),
    ErrorText(
        name="out-of-bounds",
        pattern=r" is out of the bounds of ",
        example="'memref.subview' of sizes [2, 2] at [5, 0] is out of the bounds of table, whose sizes"
        " are [6, 2]",
        meaning="A load, store or DMA of a tile program goes beyond its buffer; it was not done. In"
        " programs of this package, an input is damaged; in your own, an index is wrong.",
        remedy="Compare the place and the sizes, which the text names, with the inputs: row pointers,"
        " ids, sample numbers. In a tile program of your own, print it with `sdykit compile` and"
        " look for the operation.",
        settings=("xla_sc_assert_level",),
    ),
    ErrorText(
        name="limits-of-another-program",
        pattern=r"there are no limits for |there are limits for table |the limits (are|of (table|stack) '.*' are) for ",
        example="limits.json: error: the limits of stack 'items' are for a batch_size of 4096; the"
        " program has 1024: ...",
        meaning="The file of limits was counted for other tables, stacks, vocabularies or batches than"
        " those of the program.",
        remedy="Count again with `sdykit limits` and the tables, batch size, devices and chip of the"
        " program.",
        settings=("xla_sparse_core_max_ids_file",),
    ),
    ErrorText(
        name="unknown-setting",
        pattern=r"unknown flag --|config(ure)?: unknown setting ",
        example="SDYKIT_FLAGS: unknown flag --xla_sc_detect_nann; did you mean 'xla_sc_detect_nan'?",
        meaning="There is no such setting, or it is one of the configuration only and was given as a"
        " flag.",
        remedy="Use the name that the text suggests; `sdykit explain` lists all.",
    ),
    ErrorText(
        name="wrong-value",
        pattern=r"(config: \w+|: --\w+) (is .*|has no value); expected ",
        example="command line: --xla_sc_detect_nan is 'maybe'; expected true or false",
        meaning="A setting has a value that it cannot have. The text begins with the place that it was"
        " set at.",
        remedy="Write one of the values that the text names; `sdykit explain SETTING` says what they"
        " do.",
    ),
)
"""All of them."""


def error_named(name: str) -> ErrorText | None:
    """Return the error of this name, or None."""
    return next((each for each in ERRORS if each.name == name), None)


def errors_in(text: str) -> list[ErrorText]:
    """Return the errors whose texts are in a text: one message, or the output of a program."""
    return [each for each in ERRORS if each.matches(text)]
