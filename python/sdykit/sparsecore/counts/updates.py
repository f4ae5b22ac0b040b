"""The figures of a batch that the counts of an update follow from.

Entries are in lists, each sorted by row: one for each minibatch and partition. The tiles of a list have
even shares of its entries, and a tile takes the rows that begin in its share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.counts.statistics import Figures


@dataclass(frozen=True, eq=False)
class SortedEntries:
    """Entries in lists; vectors have one element for each entry.

    Attributes:
        list_: the number of the list that an entry is in, ascending.
        row: its row; in a list, rows ascend.
        device: the device of its sample; in a row, devices ascend.
        lists: the number of lists.
        tiles: the number of tiles that share each list.
    """

    list_: Figures
    row: Figures
    device: Figures
    lists: int
    tiles: int

    @cached_property
    def sizes(self) -> Figures:
        """The number of entries of each list, int64 `[lists]`."""
        return np.bincount(self.list_, minlength=self.lists)

    @cached_property
    def starts(self) -> Figures:
        """The number of the first entry of each list, int64 `[lists]`."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def is_first(self) -> npt.NDArray[np.bool_]:
        """Whether an entry is the first one of its row, bool `[entries]`."""
        return _differs(self.list_) | _differs(self.row)

    @cached_property
    def firsts(self) -> Figures:
        """The number of the first entry of each row, int64 `[rows]`."""
        return np.flatnonzero(self.is_first)

    @cached_property
    def list_of_rows(self) -> Figures:
        """The number of the list of each row, int64 `[rows]`."""
        return self.list_[self.firsts]

    @cached_property
    def positions(self) -> Figures:
        """The position of each row's first entry in its list, int64 `[rows]`."""
        return self.firsts - self.starts[self.list_of_rows]


def sorted_entries(
    list_: Figures, row: Figures, device: Figures, lists: int, tiles: int
) -> SortedEntries:
    """Return entries as `SortedEntries`, whatever their order."""
    # Buffers are sorted in parts, which a stable sort of numpy's merges.
    order = np.lexsort((device, row, list_))
    return SortedEntries(list_[order], row[order], device[order], lists, tiles)


def row_figures(entries: SortedEntries) -> dict[str, Figures]:
    """Return the figures of the rows that begin in the shares, by name, int64 `[lists, tiles]`.

    Returns:
        `rows`: the rows. `row_ids`: their entries. `device_rows`: their pairs of a row and a device.
        `compared_ids`, `compared_device_rows`: how often the entry after an entry, or after such a
        pair, is compared with it; after the last one of a list there is none. `repeated_ids`: how
        often it is of the same row. `skipped_ids`: the entries at the begin of a share that are
        compared with the ones before, up to the first one of another row.
    """
    lists, first = entries.list_of_rows, entries.firsts
    tile = tile_of(entries.positions, entries.sizes[lists], entries.tiles)
    ends = np.append(first, len(entries.list_))[1:]
    parts = np.cumsum(entries.is_first | _differs(entries.device))
    shape = (entries.lists, entries.tiles)

    def add_up(amounts: npt.ArrayLike) -> Figures:
        found = np.zeros(shape, np.int64)
        np.add.at(found, (lists, tile), amounts)
        return found

    rows, row_ids = add_up(1), add_up(ends - first)
    device_rows = add_up(parts[ends - 1] - parts[first] + 1)
    last = add_up(ends == (entries.starts + entries.sizes)[lists])
    return {
        "rows": rows,
        "row_ids": row_ids,
        "device_rows": device_rows,
        "compared_ids": row_ids - last,
        "compared_device_rows": device_rows - last,
        "repeated_ids": row_ids - rows,
        "skipped_ids": _skipped_ids(entries),
    }


def slot_figures(entries: SortedEntries, partitions: int) -> dict[str, Figures]:
    """Return the figures of an update that runs one minibatch after another, by name.

    A row has a slot, the position of its first entry in the lists of its partition one after another.
    The tiles have even shares of the slots.

    Args:
        entries: the entries; list `m * partitions + p` has those of minibatch `m` for partition `p`.
        partitions: the number of partitions.

    Returns:
        `new_rows`: the rows that begin in a share, and are in no minibatch before, int64
        `[lists, tiles]`. `slots`, `updated_rows`: the slots of a share, and the rows that have them, int64
        `[partitions, tiles]`.
    """
    sizes = entries.sizes.reshape(-1, partitions)
    before, total = (np.cumsum(sizes, axis=0) - sizes).ravel(), sizes.sum(axis=0)
    lists, rows = entries.list_of_rows, entries.row[entries.firsts]
    keys = lists % partitions * (int(rows.max(initial=0)) + 1) + rows
    _, new = np.unique(keys, return_index=True)
    lists, positions = lists[new], entries.positions[new]
    new_rows = np.zeros((entries.lists, entries.tiles), np.int64)
    np.add.at(new_rows, (lists, tile_of(positions, entries.sizes[lists], entries.tiles)), 1)
    updated = np.zeros((partitions, entries.tiles), np.int64)
    of_partition = lists % partitions
    tile = tile_of(before[lists] + positions, total[of_partition], entries.tiles)
    np.add.at(updated, (of_partition, tile), 1)
    slots = np.diff(_shares(total, entries.tiles), axis=1)
    return {"new_rows": new_rows, "slots": slots, "updated_rows": updated}


def tile_of(position: Figures, count: Figures | int, tiles: int) -> Figures:
    """Return the tile whose even share of `count` elements a position is in.

    The share of tile `t` begins at `t * count // tiles`.
    """
    return ((position + 1) * tiles - 1) // count


def _shares(count: Figures, tiles: int) -> Figures:
    """Return where the share of each tile begins, and one past the last, int64 `[lists, tiles + 1]`."""
    return np.arange(tiles + 1) * count[:, None] // tiles


def _skipped_ids(entries: SortedEntries) -> Figures:
    begins = _shares(entries.sizes, entries.tiles)[:, :-1]
    ends = (entries.starts + entries.sizes)[:, None]
    at = entries.starts[:, None] + begins
    following = np.append(entries.firsts, len(entries.list_))[np.searchsorted(entries.firsts, at)]
    following = np.minimum(following, ends)
    return np.where(begins > 0, following - at + (following < ends), 0)


def _differs(values: Figures) -> npt.NDArray[np.bool_]:
    """Return whether each element is the first one, or differs from the one before."""
    return np.append(np.ones(min(len(values), 1), bool), values[1:] != values[:-1])
