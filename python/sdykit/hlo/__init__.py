"""HLO text: a model of programs, a reader and a printer.

    module = read(text, "program.hlo")
    for computation in module:
        for op in computation:
            print(op.location, op.opcode, [operand.name for operand in op.operands])
    print(to_text(module))

Opcodes, shapes, attributes and literals are text that is carried unchanged, known or not.
Asynchronous operations are read from the generic form (`async-start`) and from the sugared
one (`add-start`) into one representation, and printed in either.
"""

from sdykit.errors import FileLocation
from sdykit.hlo.computation import MAIN_THREAD, Computation
from sdykit.hlo.errors import HloError, HloSyntaxError
from sdykit.hlo.instruction import Instruction, Spelling
from sdykit.hlo.module import Module
from sdykit.hlo.printer import to_text
from sdykit.hlo.reader import read
from sdykit.hlo.shape import Shape, parse_shape, tuple_shape

__all__ = [
    "MAIN_THREAD",
    "Computation",
    "FileLocation",
    "HloError",
    "HloSyntaxError",
    "Instruction",
    "Module",
    "Shape",
    "Spelling",
    "parse_shape",
    "read",
    "to_text",
    "tuple_shape",
]
