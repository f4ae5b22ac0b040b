"""Functions on vectors, compiled as kernels are, and by the reference, row by row of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sdykit.mlir import ir, make_context, register_tpu_dialect
from sdykit.sparsecore.codegen import compile_module, run
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.vectors import handlers  # noqa: F401 -- registers them
from sdykit.sparsecore.mosaic.places import Places
from sdykit.sparsecore.mosaic.reference import meanings
from sdykit.sparsecore.mosaic.types import dtype_of
from sdykit.sparsecore.tile.builder.ops import Builder

Array = npt.NDArray[Any]


@dataclass
class Kernel:
    """What an emitter asks a kernel for."""

    places: Places


def op_text(
    name: str, operands: Sequence[str], results: Sequence[str], attributes: str = ""
) -> str:
    """Return a function of one op, the types of whose operands and results are given."""
    arguments = ", ".join(f"%a{k}: {type_}" for k, type_ in enumerate(operands))
    names = ", ".join(f"%a{k}" for k in range(len(operands)))
    signature = f"({', '.join(operands)}) -> ({', '.join(results)})"
    returned = ", ".join(f"%r#{k}" for k in range(len(results)))
    return f"""func.func @f({arguments}) -> ({", ".join(results)})
        attributes {{tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{
      %r:{len(results)} = "{name}"({names}) {{{attributes}}} : {signature}
      return {returned} : {", ".join(results)}
    }}"""


def compiled(text: str, arrays: Sequence[Array]) -> list[Array]:
    """Return the results of a function for each row of arrays, from machine code."""
    context = make_context()
    register_tpu_dialect(context)
    with context, ir.Location.unknown():
        source = ir.Module.parse(text)
        function = source.body.operations[0].operation
        operands, results = _types(function)
        rows = len(arrays[0])
        out = [np.zeros((rows, *each.shape), dtype_of(str(each.element_type))) for each in results]
        module = ir.Module.parse(_caller(operands, results))
        lowered_into(module, function)
        assert module.operation.verify()
        program = compile_module(str(module), cache=None)
    flat = [np.ascontiguousarray(each).reshape(rows, -1) for each in [*arrays, *out]]
    run(program, flat)
    found = flat[len(arrays) :]
    return [array.reshape(each.shape) for array, each in zip(found, out, strict=True)]


def lowered(text: str) -> str:
    """Return the text of what a function becomes, in upstream ops."""
    context = make_context()
    register_tpu_dialect(context)
    with context, ir.Location.unknown():
        source = ir.Module.parse(text)
        function = source.body.operations[0].operation
        module = ir.Module.parse(_caller(*_types(function)))
        lowered_into(module, function)
        return str(module)


def lowered_into(module: ir.Module, function: ir.Operation) -> None:
    """Add to the declaration of @f, the first op of a module, what a function of a kernel becomes."""
    inner = function.regions[0].blocks[0]
    types = [each.type for each in inner.arguments]
    block = ir.Block.create_at_start(module.body.operations[0].regions[0], types)
    with ir.InsertionPoint(block):
        builder = Builder(module.context, block)
        given = {"b": builder, "kernel": Kernel(Places())}
        names = [each.name for each in fields(Emitter) if each.init and _is_required(each)]
        emitter = cast(Any, Emitter)(**{**dict.fromkeys(names), **given})
        emitter.set_all(list(inner.arguments), list(block.arguments))
        builder.op("func.return", emitter.scalars(inner))


def _is_required(each: Field[Any]) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def _types(function: ir.Operation) -> tuple[list[ir.VectorType], list[ir.VectorType]]:
    """Return the types of the arguments and of the results."""
    results = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results
    arguments = function.regions[0].blocks[0].arguments
    return [ir.VectorType(each.type) for each in arguments], [ir.VectorType(t) for t in results]


def _caller(operands: Sequence[ir.VectorType], results: Sequence[ir.VectorType]) -> str:
    """Return a tile program that calls @f for each row of arrays."""
    flat = [f"{np.prod(each.shape)}x{each.element_type}" for each in [*operands, *results]]
    memrefs = [f"memref<?x{text}>" for text in flat]
    parameters = ", ".join(f"%m{k}: {text}" for k, text in enumerate(memrefs))
    lines = []
    for k, each in enumerate(operands):
        lines.append(f"%v{k} = vector.load %m{k}[%i, %c0] : {memrefs[k]}, vector<{flat[k]}>")
        lines.append(f"%a{k} = vector.shape_cast %v{k} : vector<{flat[k]}> to {each}")
    names = ", ".join(f"%a{k}" for k in range(len(operands)))
    signature = f"({', '.join(map(str, operands))}) -> ({', '.join(map(str, results))})"
    lines.append(f"%r:{len(results)} = func.call @f({names}) : {signature}")
    for k, each in enumerate(results):
        at = len(operands) + k
        lines.append(f"%s{k} = vector.shape_cast %r#{k} : {each} to vector<{flat[at]}>")
        target = f"%m{at}[%i, %c0] : {memrefs[at]}, vector<{flat[at]}>"
        lines.append(f"vector.store %s{k}, {target}")
    body = "\n".join(lines)
    return f"""func.func private @f{signature}
    func.func @main({parameters}) attributes {{sparsecore.entry}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %m0, %c0 : {memrefs[0]}
      scf.parallel (%i) = (%c0) to (%n) step (%c1) {{
        {body}
      }}
      return
    }}"""


def meant(text: str, arrays: Sequence[Array]) -> list[Array]:
    """Return the results of a function for each row of arrays, as the reference defines them."""
    context = make_context()
    register_tpu_dialect(context)
    with context, ir.Location.unknown():
        module = ir.Module.parse(text)
        block = module.body.operations[0].regions[0].blocks[0]
        *ops, last = block.operations
        bound = [(each, meanings.bind(each)) for each in ops]
        rows = []
        for row in zip(*arrays, strict=True):
            values = dict(zip(block.arguments, row, strict=True))
            for op, meaning in bound:
                with np.errstate(all="ignore"):
                    found = meaning(*(values[operand] for operand in op.operation.operands))
                several = found if len(op.operation.results) > 1 else (found,)
                values.update(zip(op.operation.results, several, strict=True))
            rows.append([values[operand] for operand in last.operation.operands])
    return [np.stack([row[k] for row in rows]) for k in range(len(rows[0]))]
