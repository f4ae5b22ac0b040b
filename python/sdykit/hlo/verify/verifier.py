"""The verifier of asynchronous HLO: `async-start`, `async-update` and `async-done`.

Every broken rule is one located error, in XLA's wording where XLA has one. What XLA accepts
and this refuses, and the reverse, is listed in the documentation.
"""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.diagnostics import Diagnostic
from sdykit.hlo.async_ops import ASYNC, DONE, UPDATE
from sdykit.hlo.errors import HloError
from sdykit.hlo.model import Computation, Module
from sdykit.hlo.verify.aliasing import check_aliasing_attribute
from sdykit.hlo.verify.chains import ChainChecks
from sdykit.hlo.verify.computations import check_calls, check_wrapped
from sdykit.hlo.verify.consumers import CONSUMERS, check_consumers, check_order
from sdykit.hlo.verify.report import Report

_WITHOUT_ALIASING = frozenset({UPDATE, DONE})
"""Opcodes that must not have `output_to_operand_aliasing`, which `ChainChecks` reports."""


class VerificationError(HloError):
    """A module is invalid; `location` and `message` are those of the first error."""

    def __init__(self, errors: Sequence[Diagnostic]) -> None:
        super().__init__(errors[0].location, errors[0].message)
        self.errors = tuple(errors)
        """All errors with their notes, in the order of the text."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


def check(module: Module) -> None:
    """Check the asynchronous operations of a module.

    Raises:
        VerificationError: `verify` finds errors.
    """
    errors = verify(module)
    if errors:
        raise VerificationError(errors)


def verify(module: Module, *, layout_sensitive: bool = False) -> list[Diagnostic]:
    """Check the asynchronous operations of a module.

    - A start or update has one user, an update or done; its value stays in its computation.
    - Update and done have one operand, a start or update, and agree with it on computation
      and thread.
    - A start calls one computation, on its own thread, which nothing else calls. This holds
      only its parameters and the root; or parameters, get-tuple-elements and the root; or
      anything, if the start has the frontend attribute `_collectives_group`.
    - The root is not an operation with `-start` and `-done` opcodes of its own.
    - Starts, updates and dones have no attributes of the operation that they wrap.
    - A start's shape is (parameters, root, context...); the operands have the shapes of the
      parameters; the shapes of update and done follow from that of the start.
    - `output_to_operand_aliasing`, of any instruction, pairs existing indices of equal shape.
    - Operands are defined before their users, and no computation calls itself.

    A shape that does not match is reported once, not again at later phases of the chain.

    Args:
        module: the module to check; it is not changed, and may be built or edited by hand.
        layout_sensitive: whether layouts have to match as well, a missing one being the
            default layout. Otherwise they are ignored, as in XLA before layouts are assigned.

    Returns:
        The errors in the order of the text; empty if there are none.
    """
    report = Report()
    wrapped_by = check_calls(module, report)
    for computation, starts in wrapped_by.items():
        check_wrapped(computation, starts, report)
    for computation in module.computations:
        _check_body(computation, layout_sensitive, report)
    return report.sorted()


def _check_body(computation: Computation, layout_sensitive: bool, report: Report) -> None:
    check_order(computation, report)
    chains = None
    for op in computation.instructions:
        # Most instructions have nothing to check: no call for them.
        if op.opcode in CONSUMERS:
            check_consumers(op, report)
        if op.opcode in ASYNC:
            chains = chains or ChainChecks(report, layout_sensitive)
            chains.check(op)
        if op.attributes and op.opcode not in _WITHOUT_ALIASING:
            check_aliasing_attribute(op, layout_sensitive, report)
