"""The fragments of a module, with the properties that lowering reads."""

from __future__ import annotations

from sdykit.core import FUNC, fail, ops_named
from sdykit.core.mpmd.program import FRAGMENT, body_of, parent_of, string, topology_of
from sdykit.dialects import mpmd
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.mpmd.lower_to_fragment_calls.symbols import Symbols

_STAGE = "stage_id"
_CALL_COUNTER = "call_counter"
_UINT32 = "ui32"


class Fragment:
    """A `mpmd.fragment`, with the properties that are read more than once."""

    __slots__ = ("mesh", "mesh_name", "op", "origins", "symbols")

    def __init__(self, op: ir.Operation, topology: mpmd.TopologyAttr, symbols: Symbols) -> None:
        self.op = op
        self.symbols = symbols
        """The symbols of the module around the fragment."""
        self.mesh_name = string(op, "mesh_name")
        self.mesh = topology.mesh(self.mesh_name)
        origins = ir.ArrayAttr(op.attributes["origin"])
        self.origins = tuple([mpmd.UserOriginAttr.of(origin) for origin in origins])

    @property
    def body(self) -> ir.Block:
        """The only block of the fragment."""
        return body_of(self.op)

    @property
    def stage(self) -> int | None:
        """The number of the pipeline stage, or None."""
        attribute = self.op.attributes.get(_STAGE)
        return None if attribute is None else ir.IntegerAttr(attribute).value

    @property
    def call_counter(self) -> int | None:
        """The number of the call among the calls of one computation, or None."""
        attribute = self.op.attributes.get(_CALL_COUNTER)
        if not isinstance(attribute, ir.IntegerAttr):
            return None
        if str(attribute.type) != _UINT32:
            fail(self.op, f"{_CALL_COUNTER} must have the type {_UINT32}, found {attribute}")
        return attribute.value


def fragments_of(module: ModuleOp) -> list[Fragment]:
    """List all fragments of a module and of nested modules, in program order."""
    surroundings = _Surroundings()
    return [Fragment(op, *surroundings.of(op)) for op in ops_named(module, FRAGMENT)]


class _Surroundings:
    """Finds the topology and the symbols around fragments; each function is read once."""

    def __init__(self) -> None:
        self._found: dict[ir.Operation, tuple[mpmd.TopologyAttr, Symbols]] = {}
        self._symbols: dict[ir.Operation, Symbols] = {}

    def of(self, fragment: ir.Operation) -> tuple[mpmd.TopologyAttr, Symbols]:
        func = parent_of(fragment)
        if func.name != FUNC:
            fail(
                fragment,
                f"cannot become a call inside '{func.name}';"
                " a fragment call must be in the body of a function itself",
            )
        if func not in self._found:
            self._found[func] = self._read(func)
        return self._found[func]

    def _read(self, func: ir.Operation) -> tuple[mpmd.TopologyAttr, Symbols]:
        topology, module = topology_of(func), parent_of(func)
        assert topology is not None  # The verifier requires it where there are fragments.
        if module not in self._symbols:
            self._symbols[module] = Symbols(module)
        return topology, self._symbols[module]
