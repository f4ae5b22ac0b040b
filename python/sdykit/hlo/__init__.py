"""HLO text: a model of programs, a reader and a printer.

    module = read(text, "program.hlo")
    for computation in module:
        for op in computation:
            print(op.location, op.opcode, [operand.name for operand in op.operands])
    print(to_text(module))

Opcodes, shapes, attributes and literals are text that is carried unchanged, known or not.
Asynchronous operations are read from the generic form (`async-start`) and from the sugared
one (`add-start`) into one representation, and printed in either.

`model` holds programs as data, `text` the reader and the printer, `verify` the verifier,
`aliasing` the analysis of shared buffers; `from_mlir` and `to_mlir` convert from and to MLIR
with the tables of `mlir`. The modules beside them are about the language itself: `shape`,
`attributes`, `async_ops`, `opcodes`.
"""

from sdykit.errors import FileLocation
from sdykit.hlo.errors import HloError, HloSyntaxError
from sdykit.hlo.model import MAIN_THREAD, Computation, Instruction, Module, Source, Spelling
from sdykit.hlo.shape import Shape, parse_shape, tuple_shape
from sdykit.hlo.text.printer import to_text
from sdykit.hlo.text.reader import read

__all__ = [
    "MAIN_THREAD",
    "Computation",
    "FileLocation",
    "HloError",
    "HloSyntaxError",
    "Instruction",
    "Module",
    "Shape",
    "Source",
    "Spelling",
    "parse_shape",
    "read",
    "to_text",
    "tuple_shape",
]
