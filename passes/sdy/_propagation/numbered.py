"""Shardings by number, and the attributes of numbers: each is read and made once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.shardings import Sharding, Shardings

NONE: Final = 0
"""The number of no sharding."""


class NumberedShardings(Shardings):
    """Numbers shardings; equal ones have one number."""

    def __init__(self, meshes: Mapping[str, sdy.MeshAttr]) -> None:
        super().__init__(meshes)
        self._numbers: dict[Sharding, int] = {}
        self._shardings: list[Sharding | None] = [None]
        self._of_attribute: dict[ir.Attribute, int] = {}
        self._of_list: dict[ir.Attribute, list[int]] = {}
        self._made_lists: dict[tuple[int, ...], ir.Attribute] = {}

    def number(self, sharding: Sharding) -> int:
        """Return the number of a sharding."""
        found = self._numbers.get(sharding)
        if found is None:
            found = self._numbers[sharding] = len(self._shardings)
            self._shardings.append(sharding)
        return found

    def find(self, number: int) -> Sharding | None:
        """Return the sharding of a number, None for `NONE`."""
        return self._shardings[number]

    def of(self, number: int) -> Sharding:
        """Return the sharding of a number other than `NONE`."""
        sharding = self._shardings[number]
        assert sharding is not None
        return sharding

    def number_of(self, attribute: ir.Attribute) -> int:
        """Return the number of the sharding that an attribute holds."""
        found = self._of_attribute.get(attribute)
        if found is None:
            found = self._of_attribute[attribute] = self.number(self.read(attribute))
        return found

    def numbers_of(self, attribute: ir.Attribute) -> list[int]:
        """Return the numbers of the shardings of several values that an attribute holds."""
        found = self._of_list.get(attribute)
        if found is None:
            found = self._of_list[attribute] = list(map(self.number, self.read_list(attribute)))
        return found

    def made_list(self, numbers: tuple[int, ...]) -> ir.Attribute:
        """Return the attribute that holds the shardings of several values, those with a number."""
        found = self._made_lists.get(numbers)
        if found is None:
            shardings = tuple(self.of(number) for number in numbers if number != NONE)
            found = self._made_lists[numbers] = self.make_list(shardings)
        return found
