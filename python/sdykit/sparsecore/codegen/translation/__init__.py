"""Translation of ops to LLVM IR: a module or folder for each dialect.

Read `translator` first: it walks the ops and keeps what each value is lowered to. The `OPS` of a
dialect map the name of an op to the function that translates it. `op_attributes` reads attributes
of ops, and `located_errors` makes errors with a place in the program. `runtime_calls` has calls of the runtime, native
code; what may be called is in `codegen/runtime_functions.py`.
"""

from sdykit.sparsecore.codegen.translation import arith, func, math, memref, scf, ub, vector
from sdykit.sparsecore.codegen.translation.translator import Handler

HANDLERS: dict[str, Handler] = {
    **arith.OPS,
    **func.OPS,
    **math.OPS,
    **memref.OPS,
    **scf.OPS,
    **ub.OPS,
    **vector.OPS,
}
"""The function that translates an op, by the name of the op."""
