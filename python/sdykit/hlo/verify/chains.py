"""Check operands, attributes and shapes along asynchronous chains."""

from __future__ import annotations

from sdykit.hlo.async_ops import DONE, START, THREAD, UPDATE
from sdykit.hlo.attributes import ALIASING, COMMON_ATTRIBUTES, CONTROL, names_in, unquoted
from sdykit.hlo.model import MAIN_THREAD, Computation, Instruction
from sdykit.hlo.shape import parse_shape, tuple_shape
from sdykit.hlo.verify.report import Report, note
from sdykit.hlo.verify.shapes import brief, same_shape, versus
from sdykit.plurals import counted

_IN_FLIGHT = frozenset({START, UPDATE})
_OF_CHAINS = COMMON_ATTRIBUTES | {"calls"}
_ATTRIBUTES = {START: _OF_CHAINS | {ALIASING}, UPDATE: _OF_CHAINS, DONE: _OF_CHAINS}
"""The attributes that XLA accepts on each; those of the wrapped operation are not among them."""


class ChainChecks:
    """Checks the instructions of one computation, in their order.

    A wrong shape of a start or update is not reported again at later phases of the chain.
    """

    def __init__(self, report: Report, layout_sensitive: bool) -> None:
        self.layout_sensitive = layout_sensitive
        self._report = report
        self._start_of: dict[Instruction, Instruction] = {}
        self._bad_shape: set[Instruction] = set()
        self._good_shapes: set[tuple[str | None, ...]] = set()
        """The shapes of starts and of their computations that have been checked and are right."""

    def check(self, op: Instruction) -> None:
        """Check one asynchronous instruction."""
        if op.attributes:
            self._check_names(op)
        if op.opcode == START:
            self._start_of[op] = op
            self._check_start(op)
        elif self._check_operand(op):
            self._check_attributes(op, self._start_of.get(op.operands[0]))
            self._check_shape_after(op, op.operands[0])

    def _check_names(self, op: Instruction) -> None:
        """Check that the attributes are those of a chain, not of the operation that it wraps."""
        allowed = _ATTRIBUTES[op.opcode]
        for name in op.attributes:
            if name not in allowed:
                listed = ", ".join(sorted({*allowed, CONTROL}))
                message = f'unexpected attribute "{name}". Allowed attributes: {listed}'
                self._report.error(op, message)

    # --- start ---

    def _check_start(self, start: Instruction) -> None:
        names = names_in(start.attributes.get("calls", ""))
        if len(names) != 1:
            self._report.error(
                start,
                f"Async start instruction should have 1 called computation but sees {len(names)}",
            )
        called = _computation(start, names[0]) if len(names) == 1 else None
        if called is not None:
            self._check_thread(start, called)
        shapes = None if called is None else _shapes(start, called)
        if shapes in self._good_shapes:
            return
        if self._check_shapes(start, called) and shapes is not None:
            self._good_shapes.add(shapes)

    def _check_shapes(self, start: Instruction, called: Computation | None) -> bool:
        if not self._check_tuple(start):
            self._bad_shape.add(start)
            return False
        parameters = called and self._check_parameters(start, called)
        root = called and self._check_root(start, called)
        if parameters is False or root is False:
            self._bad_shape.add(start)
        operands = parameters is not False and self._check_operands_of_start(start)
        return operands and root is not False

    def _check_thread(self, start: Instruction, called: Computation) -> None:
        # A computation without a thread runs on that of its start, as in XLA's parser.
        if "execution_thread" not in called.attributes:
            return
        thread = _thread(start) or MAIN_THREAD
        if thread != called.execution_thread:
            self._report.error(
                start,
                "async-start expects same async thread name as wrapped computation's thread "
                f"name ({thread} vs {called.execution_thread}).",
                note(called, f"computation {called.name} is here"),
            )

    def _check_tuple(self, start: Instruction) -> bool:
        elements = parse_shape(start.shape).elements
        if elements is not None and len(elements) >= 2:
            return True
        self._report.error(
            start,
            "The async-start expects the async shape to be a tuple of at least two elements, "
            f"found {brief(start.shape)}.",
        )
        return False

    def _check_parameters(self, start: Instruction, called: Computation) -> bool:
        shapes = [parameter.shape for parameter in called.parameters]
        found, expected = _element(start, 0), tuple_shape(shapes)
        bare = len(shapes) == 1 and same_shape(found, shapes[0], self.layout_sensitive)
        if bare or same_shape(found, expected, self.layout_sensitive):
            return True
        self._report.error(
            start,
            "The async-start expects the async shape at index {0} to match async computation "
            f"parameter shape ({versus(found, expected)}).",
            note(called, f"computation {called.name} is here"),
        )
        return False

    def _check_root(self, start: Instruction, called: Computation) -> bool:
        found, root = _element(start, 1), called.root
        if same_shape(found, root.shape, self.layout_sensitive):
            return True
        self._report.error(
            start,
            "The async-start expects the async shape at index {1} to match the async "
            f"computation root shape ({versus(found, root.shape)}).",
            note(root, f"the root of {called.name} is here"),
        )
        return False

    def _check_operands_of_start(self, start: Instruction) -> bool:
        expected = self._operand_shapes(start)
        if len(start.operands) != len(expected):
            self._report.error(
                start,
                f"The async-start expects {counted(len(expected), 'operand')}, as many as the "
                f"async shape has at index {{0}} ({brief(_element(start, 0))}), "
                f"found {len(start.operands)}",
            )
            return False
        same = True
        for number, (operand, shape) in enumerate(zip(start.operands, expected, strict=True)):
            if not same_shape(operand.shape, shape, self.layout_sensitive):
                self._report.error(
                    start,
                    f"The async-start expects the shape of operand {number} to match the async "
                    f"shape at index {{0}} ({versus(operand.shape, shape)}).",
                    note(operand, f"%{operand.name} is here"),
                )
                same = False
        return same

    def _operand_shapes(self, start: Instruction) -> list[str]:
        first = _element(start, 0)
        elements = parse_shape(first).elements
        if elements is None:
            return [first]
        if len(start.operands) == 1 and same_shape(
            start.operands[0].shape, first, self.layout_sensitive
        ):
            return [first]  # The only operand is a tuple, and not in a tuple of operands.
        return [element.text for element in elements]

    # --- update and done ---

    def _check_operand(self, op: Instruction) -> bool:
        kind = op.opcode.removeprefix("async-")
        if len(op.operands) != 1:
            self._report.error(
                op, f"Async {kind} requires one singular operand, found {len(op.operands)}"
            )
            return False
        operand = op.operands[0]
        if operand.opcode not in _IN_FLIGHT:
            self._report.error(
                op,
                f"{op.opcode} expects operand to be async-start or async-update, "
                f"found {operand.opcode}.",
                note(operand, f"%{operand.name} is here"),
            )
            return False
        if operand in self._start_of:
            self._start_of[op] = self._start_of[operand]
        return True

    def _check_attributes(self, op: Instruction, start: Instruction | None) -> None:
        if start is None or not op.attributes:
            return
        expected = _names(start), _thread(start) or MAIN_THREAD
        found = _names(op) or expected[0], _thread(op) or expected[1]
        if found != expected:
            self._report.error(
                op,
                f"The {op.opcode} expects its wrapped async computation to be identical to its "
                f"operand's wrapped async computation ({found[0]} vs {expected[0]}), "
                f"thread name ({found[1]} vs {expected[1]}).",
                note(start, f"the chain starts with %{start.name}"),
            )

    def _check_shape_after(self, op: Instruction, operand: Instruction) -> None:
        if operand in self._bad_shape:
            self._bad_shape.add(op)
            return
        expected = operand.shape
        what = "operand and output to match"
        if op.opcode == DONE:
            elements = parse_shape(expected).elements
            if elements is None or len(elements) < 2:
                return
            expected = elements[1].text
            what = "output to match the async shape at index {1}"
        if same_shape(op.shape, expected, self.layout_sensitive):
            return
        self._bad_shape.add(op)
        shapes = versus(op.shape, expected)
        if op.opcode == UPDATE:
            shapes = versus(expected, op.shape)
        self._report.error(
            op,
            f"The {op.opcode} expects the shape of {what} ({shapes}).",
            note(operand, f"%{operand.name} is here"),
        )


def _shapes(start: Instruction, called: Computation) -> tuple[str | None, ...]:
    """Return a key of all shapes that the check of a start compares."""
    operands = [op.shape for op in start.operands]
    inside = [op.shape for op in called.parameters]
    return (start.shape, *operands, None, *inside, called.root.shape)


def _element(op: Instruction, index: int) -> str:
    elements = parse_shape(op.shape).elements
    assert elements is not None, "the caller has checked that it is a tuple"
    return elements[index].text


def _computation(op: Instruction, name: str) -> Computation | None:
    module = op.parent.module if op.parent is not None else None
    return None if module is None else module.find_computation(name)


def _names(op: Instruction) -> str:
    return ", ".join(name for _, name in op.called_names())


def _thread(op: Instruction) -> str:
    return unquoted(op.attributes.get(THREAD, ""))
