"""The attributes of the arguments or results of a function."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.passes.sdy._shardings import ARG_ATTRS


class ValueAttrs:
    """The attributes of a function's arguments or results; `flush` writes what was set.

    MLIR keeps those of all arguments in one attribute: to write each change would take quadratic
    time. To read all attributes of an argument takes ten times as long as to look for one, so that
    is done for those only that are written.
    """

    def __init__(self, func: ir.Operation, key: str) -> None:
        """Read the attribute `key`, which is `arg_attrs` or `res_attrs`."""
        present = func.attributes.get(key)
        self._func = func
        self._key = key
        self._written: dict[int, dict[str, ir.Attribute]] = {}
        if present is not None:
            self._read = [ir.DictAttr(each) for each in ir.ArrayAttr(present)]
        else:
            function_type = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
            types = function_type.inputs if key == ARG_ATTRS else function_type.results
            self._read = [ir.DictAttr.get({}, func.context)] * len(types)

    def __len__(self) -> int:
        """Return the number of arguments or results."""
        return len(self._read)

    def get(self, number: int, name: str) -> ir.Attribute | None:
        """Return an attribute of a value; None if there is no such attribute, or no such value."""
        if number in self._written:
            return self._written[number].get(name)
        attrs = self._read[number] if number < len(self._read) else ()
        return attrs[name] if attrs and name in attrs else None

    def set(self, number: int, name: str, attr: ir.Attribute) -> None:
        """Set an attribute of a value, if there is such a value."""
        if number < len(self._read):
            self._writable(number)[name] = attr

    def remove(self, name: str) -> None:
        """Remove an attribute from all values."""
        for number in range(len(self._read)):
            if self.get(number, name) is not None:
                del self._writable(number)[name]

    def _writable(self, number: int) -> dict[str, ir.Attribute]:
        """Return the attributes of a value, which will be written."""
        if number not in self._written:
            self._written[number] = {attr.name: attr.attr for attr in self._read[number]}
        return self._written[number]

    def flush(self) -> None:
        """Write what was set or removed."""
        if not self._written:
            return
        for number, attrs in self._written.items():
            self._read[number] = ir.DictAttr.get(attrs)
        self._written = {}
        if any(map(len, self._read)):
            self._func.attributes[self._key] = ir.ArrayAttr.get(self._read)
        elif self._key in self._func.attributes:
            del self._func.attributes[self._key]
