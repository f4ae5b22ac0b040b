"""The local program: the ops of a module on the parts that a device holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sdykit.core import functions_of
from sdykit.core.diagnostics import Diagnostic, Severity, diagnostic_at, nearest_location, sent_to
from sdykit.dialects import sdy
from sdykit.mlir import FuncOp, ModuleOp, ir
from sdykit.passes.sdy._call_graph import argument_shardings, result_shardings
from sdykit.passes.sdy._sharding_rules import ShardingRules
from sdykit.spmd.devices.layout import Layout, whole
from sdykit.spmd.errors import fail_at
from sdykit.spmd.local import emit
from sdykit.spmd.local.collectives import COLLECTIVES, resharded, summed_to
from sdykit.spmd.local.layouts import Layouts, shape_of
from sdykit.spmd.local.moving import Part, moved

Communication = Literal["explicit", "implicit"]
"""Who moves data between devices.

- `explicit`: the collectives in the program, and nothing else that it does not need to be run at all;
- `implicit`: whatever the shardings ask for.
"""

MAIN = "main"
"""The function that XLA runs."""

Handler = Callable[["LocalProgram", ir.Operation], Sequence[Part]]
"""Makes the local ops of an op, and returns the parts of its results."""

OWN: dict[str, Handler] = {}
"""The ops that are made local in their own way, by name; all others by their sharding rules."""


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Return a decorator that puts a handler into the table under some names."""

    def register(handler: Handler) -> Handler:
        OWN.update(dict.fromkeys(names, handler))
        return handler

    return register


@dataclass(eq=False)
class LocalProgram:
    """Makes the local program of a module, function by function.

    Attributes:
        module: the module; it is not changed.
        layouts: the layouts of its values.
        communication: who moves data between devices.
        others: makes the ops that are not in `OWN` local.
        target: the module that is made.
        parts: what was made of each value.
        notes: what the message tells of ops that are not run as a partitioner would run them.
    """

    module: ModuleOp
    layouts: Layouts
    communication: Communication
    others: Handler
    target: ir.Module = field(init=False)
    rules: ShardingRules = field(default_factory=ShardingRules)
    parts: dict[ir.Value, Part] = field(default_factory=dict)
    notes: dict[str, Diagnostic] = field(default_factory=dict)
    _made: dict[str, bool] = field(default_factory=dict)  # Whether with parts of tensors.
    _begun: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.functions = functions_of(self.module)
        with ir.Location.unknown(self.module.context):
            self.target = ir.Module.create()

    @property
    def is_explicit(self) -> bool:
        """Whether the collectives in the program are all that there are."""
        return self.communication == "explicit"

    def note(self, op: ir.Operation, key: str, text: str) -> None:
        """Note something, the first time for a key."""
        if key not in self.notes:
            location = nearest_location(op)
            self.notes[key] = diagnostic_at(Severity.REMARK, f"'{op.name}' op {text}", location)

    def function(self, name: str, user: ir.Operation) -> ir.Operation:
        """Return a function of the module that has a body.

        Raises:
            SpmdError: there is none.
        """
        func = self.functions.get(name)
        if func is None or not func.regions[0].blocks:
            names = ", ".join(f"@{each}" for each in self.functions)
            fail_at(user, f"calls @{name}, which has no body here; the module has {names}")
        if len(func.regions[0].blocks) > 1:
            fail_at(func, f"function @{name} has several blocks; expected one")
        return func

    def make_callee(self, name: str, user: ir.Operation) -> str:
        """Make a function local, once; return its name in the local program."""
        made = f"{name}.callee" if name == MAIN else name
        if not self.takes(name, user, local=True):
            return made
        func = self.function(name, user)
        block = func.regions[0].blocks[0]
        self._make(
            made,
            block,
            list(block.arguments),
            self.argument_layouts(func),
            lambda: self.returned(func),
        )
        return made

    def takes(self, name: str, user: ir.Operation, *, local: bool) -> bool:
        """Return whether a function is yet to be made, for parts of tensors or for whole ones.

        Raises:
            SpmdError: it is made for the other ones.
        """
        if self._made.setdefault(name, local) != local:
            fail_at(user, f"names @{name}, which elsewhere is called with tensors of other sizes")
        is_new = name not in self._begun
        self._begun.add(name)
        return is_new

    def make_entry(
        self,
        block: ir.Block,
        inputs: Sequence[ir.Value],
        layouts: Sequence[Layout],
        results: Callable[[], Sequence[Part]],
    ) -> list[Part]:
        """Make the entry of the local program, with the ops of a block; return what it returns.

        Args:
            block: the block.
            inputs: the values that the entry takes as arguments: all that the block does not make.
            layouts: their layouts.
            results: returns what the entry returns, after the ops are made.
        """
        with self.module.context, ir.Location.unknown(self.module.context):
            return self._make(MAIN, block, inputs, layouts, results)

    def _make(
        self,
        name: str,
        block: ir.Block,
        inputs: Sequence[ir.Value],
        layouts: Sequence[Layout],
        results: Callable[[], Sequence[Part]],
    ) -> list[Part]:
        types = [self.local_type(each.type, at) for each, at in zip(inputs, layouts, strict=True)]
        with ir.InsertionPoint(self.target.body):
            made = FuncOp(name, (types, []), visibility="public" if name == MAIN else "private")
            entry = made.add_entry_block()
        for value, argument, layout in zip(inputs, entry.arguments, layouts, strict=True):
            self.parts[value] = Part(argument, shape_of(value), layout)
        with ir.InsertionPoint(entry):
            self.ops(block)
            returned = list(results())
            values = [each.value for each in returned]
            ir.Operation.create("func.return", operands=values)
        result_type = ir.FunctionType.get(types, [each.type for each in values])
        made.attributes["function_type"] = ir.TypeAttr.get(result_type)
        return returned

    def returned(self, func: ir.Operation) -> list[Part]:
        """Return what a function returns, in the layouts of its results, after its ops are made."""
        terminator = list(func.regions[0].blocks[0].operations)[-1].operation
        return [
            self.converted(part, layout, terminator)
            for part, layout in zip(
                self.operands(terminator), self.result_layouts(func), strict=True
            )
        ]

    def argument_layouts(self, func: ir.Operation) -> list[Layout]:
        arguments = func.regions[0].blocks[0].arguments
        attributes = argument_shardings(func)
        pairs = zip(attributes, arguments, strict=True)
        return [self.layouts.of_attribute(each, value.type) for each, value in pairs]

    def result_layouts(self, func: ir.Operation) -> list[Layout]:
        types = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
        attributes = result_shardings(func)
        return [
            self.layouts.of_attribute(each, type_)
            for each, type_ in zip(attributes, types, strict=True)
        ]

    def local_type(self, type_: ir.Type, layout: Layout) -> ir.Type:
        """Return the type of the part of a value that a device holds."""
        if not isinstance(type_, ir.RankedTensorType):
            return type_
        return emit.tensor(layout.local(tuple(type_.shape)), type_.element_type)

    def block(self, block: ir.Block) -> list[Part]:
        """Make the ops of a block local at the insertion point; return what its terminator returns."""
        self.ops(block)
        return self.operands(list(block.operations)[-1].operation)

    def ops(self, block: ir.Block) -> None:
        """Make the ops of a block local at the insertion point, but for its terminator."""
        for view in list(block.operations)[:-1]:
            op = view.operation
            self._note_pending(op)
            with op.location:
                results = OWN.get(op.name, self.others)(self, op)
            self.parts.update(zip(op.results, results, strict=True))

    def _note_pending(self, op: ir.Operation) -> None:
        """Note if an op uses a tensor before a collective has combined what devices hold of it."""
        if op.name in COLLECTIVES:
            return
        for number, value in enumerate(op.operands):
            pending = self.parts[value].pending
            if pending is not None and pending.reduction is not None:
                axes = ", ".join(f'"{axis.name}"' for axis in pending.axes)
                what = (
                    f"uses operand #{number}, of which each device along {axes} has a summand only"
                )
                self.note(op, f"pending {op.name}", f"{what}: no sdy.all_reduce comes before")

    def operands(self, op: ir.Operation) -> list[Part]:
        """Return the parts of the operands of an op."""
        return [self.parts[value] for value in op.operands]

    def converted(self, part: Part, layout: Layout, op: ir.Operation) -> Part:
        """Return a tensor in the layout that its sharding gives it, as the result of an op."""
        if not self.is_explicit:
            return resharded(part, layout)
        if not part.layout.divided_alike(layout):
            self.note(
                op,
                f"moved {op.name}",
                "needs a tensor that lies otherwise on the devices than it was made, and no"
                " collective moves it: it is gathered",
            )
        part = moved(part, layout)
        kept = part.layout if part.layout.mesh is not None else layout
        return replace(part, layout=replace(kept, unreduced=layout.unreduced))

    def whole_operands(self, op: ir.Operation) -> list[Part]:
        """Return the operands of an op, whole on each device."""
        return [self.converted_quietly(part, whole(len(part.shape))) for part in self.operands(op)]

    def converted_quietly(self, part: Part, layout: Layout) -> Part:
        """Return a tensor in another layout, where that is told of elsewhere."""
        if not self.is_explicit:
            part = summed_to(part, replace(layout, unreduced=()))
        return moved(part, layout)

    def rule_of(self, op: ir.Operation) -> sdy.OpShardingRuleAttr | None:
        """Return the sharding rule of an op, or None; unknown ops are not warned of."""
        with sent_to(lambda _: None):
            return self.rules.of(op)
