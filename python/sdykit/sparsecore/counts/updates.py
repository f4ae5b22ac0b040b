"""The figures of a batch that the counts of an update follow from.

Entries are in lists, each sorted by row: one for each minibatch and partition. The tiles of a list have
even shares of its entries, and a tile takes the rows that begin in its share.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    # Numbers are sorted some times faster than triples.
    rows, devices = int(row.max(initial=0)) + 1, int(device.max(initial=0)) + 1
    rest, device = np.divmod(np.sort((list_ * rows + row) * devices + device), devices)
    return SortedEntries(*np.divmod(rest, rows), device, lists, tiles)


def row_figures(entries: SortedEntries) -> dict[str, Figures]:
    """Return the figures of the rows that begin in the shares, by name, int64 `[lists, tiles]`."""
    lists, first, count = entries.list_of_rows, entries.firsts, len(entries.list_)
    tile = tile_of(entries.positions, entries.sizes[lists], entries.tiles)
    ends = np.append(first, count)[1:]
    parts = np.cumsum(entries.is_first | _differs(entries.device))
    shape = (entries.lists, entries.tiles)

    def add_up(amounts: npt.ArrayLike) -> Figures:
        found = np.zeros(shape, np.int64)
        np.add.at(found, (lists, tile), amounts)
        return found

    at = entries.starts[:, None] + shares(entries.sizes, entries.tiles)[:, :-1]
    following = np.append(first, count)[np.searchsorted(first, at)]
    starts = np.minimum(following - entries.starts[:, None], entries.sizes[:, None])
    device_rows = add_up(parts[ends - 1] - parts[first] + 1)
    return figures_of_rows(entries.sizes, starts, add_up(1), device_rows)


def figures_of_rows(
    sizes: Figures, starts: Figures, rows: Figures, device_rows: Figures
) -> dict[str, Figures]:
    """Return the figures of the rows that begin in the shares of tiles, by name.

    Args:
        sizes: the number of entries of each list, of any shape.
        starts: the position of the first row that begins in each tile's share or after it, of the shape
            `[*shape of sizes, tiles]`, as all others.
        rows: the number of rows that begin in the share.
        device_rows: the number of their pairs of a row and a device.

    Returns:
        `rows`: the rows. `row_ids`: their entries. `device_rows`: their pairs of a row and a device.
        `compared_ids`, `compared_device_rows`: how often the entry after an entry, or after such a
        pair, is compared with it; after the last one of a list there is none. `repeated_ids`: how
        often it is of the same row. `skipped_ids`: the entries at the begin of a share that are
        compared with the ones before, up to the first one of another row.
    """
    sizes = sizes[..., None]
    ends = np.concatenate([starts[..., 1:], sizes], axis=-1)
    row_ids, last = ends - starts, (rows > 0) & (ends == sizes)
    begins = shares(sizes[..., 0], rows.shape[-1])[..., :-1]
    return {
        "rows": rows,
        "row_ids": row_ids,
        "device_rows": device_rows,
        "compared_ids": row_ids - last,
        "compared_device_rows": device_rows - last,
        "repeated_ids": row_ids - rows,
        "skipped_ids": np.where(begins > 0, starts - begins + (starts < sizes), 0),
    }


def update_figures(sizes: Figures, rows: Mapping[str, Figures]) -> dict[str, Figures]:
    """Return the figures of an update of buffers, by name, with an axis for SparseCores of samples.

    Args:
        sizes: the number of entries for each partition, `[..., minibatches, partitions]`.
        rows: the figures of rows by name, `rows` among them, `[..., minibatches or 1, partitions, tiles]`.
    """
    partition_ids, tiles = sizes.sum(axis=-2, keepdims=True), rows["rows"].shape[-1]
    found = {
        "minibatch_ids": sizes[..., None],
        "partition_ids": partition_ids[..., None],
        "slots": np.diff(shares(partition_ids, tiles), axis=-1),
        **rows,
    }
    return {name: np.expand_dims(each, axis=-4) for name, each in found.items()}


def slot_figures(entries: SortedEntries, partitions: int) -> dict[str, Figures]:
    """Return the figures of an update that runs one minibatch after another, by name.

    A row has a slot, the position of its first entry in the lists of its partition one after another.
    The tiles have even shares of the slots.

    Args:
        entries: the entries; list `m * partitions + p` has those of minibatch `m` for partition `p`.
        partitions: the number of partitions.

    Returns:
        `new_rows`: the rows that begin in a share, and are in no minibatch before, int64
        `[lists, tiles]`. `updated_rows`: the rows that have the slots of a share, int64
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
    return {"new_rows": new_rows, "updated_rows": updated}


def tile_of(position: Figures, count: Figures | int, tiles: int) -> Figures:
    """Return the tile whose even share of `count` elements a position is in.

    The share of tile `t` begins at `t * count // tiles`.
    """
    return ((position + 1) * tiles - 1) // count


def shares(count: Figures, tiles: int) -> Figures:
    """Return where the share of each tile begins, and one past the last.

    Args:
        count: the number of elements that tiles share, of any shape.
        tiles: the number of tiles.

    Returns:
        int64 `[*shape of count, tiles + 1]`.
    """
    return np.arange(tiles + 1) * count[..., None] // tiles


def _differs(values: Figures) -> npt.NDArray[np.bool_]:
    """Return whether each element is the first one, or differs from the one before."""
    return np.append(np.ones(min(len(values), 1), bool), values[1:] != values[:-1])
