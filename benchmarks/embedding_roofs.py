"""What bounds the embedding benchmark: moving the rows of a batch, sorting its ids, a call of JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from embedding_cells import LEARNING_RATE, Batch, Cell, Peer, Task, table
from embedding_ours import SPARSE_CORES


class Empty(Peer):
    """A jitted call of an XLA FFI handler that does nothing, with the arrays of a lookup."""

    def load(self, width: int, task: Task) -> None:
        import ffi
        import jax

        ffi.register_empty()
        self.jax = jax
        self.table = jax.device_put(table(width))
        self.call = jax.jit(self._one_call)

    def _one_call(self, table: Any, ids: Any) -> Any:
        shape = self.jax.ShapeDtypeStruct((ids.shape[0], table.shape[1]), table.dtype)
        return self.jax.ffi.ffi_call("empty", shape)(table, ids)

    def calls(self, cell: Cell, drawn: list[Batch]) -> list[Callable[[], Any]]:
        return [partial(self._run, self.jax.device_put(each.ids)) for each in drawn]

    def _run(self, ids: Any) -> Any:
        return self.call(self.table, ids).block_until_ready()

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return np.asarray(self.table)[ids]


class Sort(Peer):
    """The phases of a training step that check and sort the ids of a batch, and nothing else."""

    def load(self, width: int, task: Task) -> None:
        import jax

        self.jax = jax
        self.table = jax.device_put(table(width))

    def calls(self, cell: Cell, drawn: list[Batch]) -> list[Callable[[], Any]]:
        from sdykit.bridge import ffi
        from sdykit.sparsecore.tile.build import arguments_of
        from sdykit.sparsecore.tile.spec import UpdateSpec

        samples = cell.batch // SPARSE_CORES
        spec = UpdateSpec(dim=cell.width, samples_per_core=samples, layout="ids", gains=False)
        entries, text = cell.batch * cell.valency, _sort_of(spec)
        workspaces = [each for each in arguments_of(spec) if each.role == "workspace"]
        names = [each.name for each in workspaces]
        results = [
            self.jax.ShapeDtypeStruct(
                [entries if size == "entries" else size for size in each.shape], each.dtype
            )
            for each in workspaces
        ]

        def sort(ids: Any, gradients: Any, table: Any) -> Any:
            rate = self.jax.numpy.float32(LEARNING_RATE)
            # Workspaces that are not returned are XLA's to keep, as in the step.
            return ffi.call(text, [ids, gradients, rate, table], results)[names.index("parts")]

        call, put = self.jax.jit(sort), self.jax.device_put
        return [partial(self._run, call, each.ids, put(each.gradients)) for each in drawn]

    def _run(self, call: Any, ids: npt.NDArray[np.int32], gradients: Any) -> Any:
        return self.jax.block_until_ready(call(ids, gradients, self.table))

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return np.asarray(self.table)[ids]


def _sort_of(spec: Any) -> str:
    """Return the text of an update's program without its last phase, which updates the rows."""
    from sdykit.passes.sparsecore._programs.entry import phases_of
    from sdykit.sparsecore.tile.build import build_module, text_of
    from sdykit.sparsecore.tile.builder.contexts import tile_context
    from sdykit.sparsecore.tile.compile import lay_out

    with tile_context() as context:
        module = build_module(context, spec)
        lay_out(module)
        phases_of(module.body.operations[0].operation)[-1].erase()
        return text_of(module)


class Roof(Peer):
    """A program that moves the rows of a batch, prefetching some ahead, and computes next to nothing.

    A lookup reads the row of each id. A training step does so too, then reads the gradient of each
    entry, those of a row one after another, and writes each row that is named once, and its slot, in
    ascending order. In which order that is, it is told.
    """

    def load(self, width: int, task: Task) -> None:
        import jax

        from sdykit.bridge import ffi

        self.jax, self.width = jax, width
        count = {"forward": 0, "sgd": 1, "adagrad": 2}[task]
        drawn = jax.device_put(table(width))
        # What is written comes first.
        self.held = [drawn, *(drawn + k for k in range(1, count))]
        self.is_step = count > 0
        text = _program(width, count)
        aliases = {k: k for k in range(count)}

        def call(held: Any, *others: Any) -> Any:
            shapes = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in held[:count]]
            sums = jax.ShapeDtypeStruct((_BLOCKS, width), np.float32)
            given = [*held, *others]
            return ffi.call(text, given, [*shapes, sums], input_output_aliases=aliases)

        self.call = jax.jit(call, donate_argnums=(0,) if count else ())

    def calls(self, cell: Cell, drawn: list[Batch]) -> list[Callable[[], Any]]:
        put = self.jax.device_put
        found: list[Callable[[], Any]] = []
        for each in drawn:
            ids = each.ids.reshape(-1)
            order = np.argsort(ids, kind="stable")
            grouped = (order // cell.valency).astype(np.int32), np.unique(ids)
            arrays = [ids, *((each.gradients, *grouped) if self.is_step else ())]
            found.append(partial(self._run, [put(array) for array in arrays]))
            found[-1]()  # Batches name different numbers of rows, each of which is compiled.
        return found

    def _run(self, arrays: list[Any]) -> Any:
        *held, sums = self.jax.block_until_ready(self.call(self.held, *arrays))
        self.held = held or self.held
        return sums

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        return np.asarray(self.held[0])[ids]


_BLOCKS = 16
_AHEAD_BYTES = 16384
_MOST_AHEAD = 256
_PHASE = """
  %n{n} = memref.dim %{ids}, %c0 : memref<?xi32>
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {{
    %next_block = arith.addi %block, %c1 : index
    %before = arith.muli %block, %n{n} : index
    %begin = arith.divui %before, %blocks : index
    %after = arith.muli %next_block, %n{n} : index
    %end = arith.divui %after, %blocks : index
    %last = arith.subi %n{n}, %c1 : index
    %sum = scf.for %k = %begin to %end step %c1 iter_args(%s = %zeros) -> (vector<{width}xf32>) {{
      %far = arith.addi %k, %ahead : index
      %later = arith.minui %far, %last : index
      %next = memref.load %{ids}[%later] : memref<?xi32>
      %next_row = arith.index_cast %next : i32 to index
      %id = memref.load %{ids}[%k] : memref<?xi32>
      %row = arith.index_cast %id : i32 to index
{body}
      scf.yield %t{last} : vector<{width}xf32>
    }}
    vector.store %sum, %sums[%block, %c0] : memref<{blocks}x{width}xf32>, vector<{width}xf32>
  }}"""
_PREFETCH = """\
      %at{k}_{at} = arith.constant {at} : index
      memref.prefetch %{array}[%next_row, %at{k}_{at}], {access}, locality<3>, data : {type}"""
_READ = """\
      %v{k} = vector.load %{array}[%row, %c0] : {type}, vector<{width}xf32>
      %t{k} = arith.addf %{sum}, %v{k} : vector<{width}xf32>"""
_WRITE = """\
      vector.store %t{k}, %{array}[%row, %c0] : {type}, vector<{width}xf32>"""


def _program(width: int, written: int) -> str:
    """Return the text of the program, which writes rows of so many arrays."""
    rows, ids = f"memref<?x{width}xf32>", "memref<?xi32>"
    held = [f"rows{k}" for k in range(max(written, 1))]
    arguments = {**dict.fromkeys(held, rows), "ids": ids}
    phases = [_phase(0, "ids", held[:1], width, writes=False)]
    if written:
        arguments |= {"gradients": rows, "order": ids, "unique": ids}
        phases.append(_phase(1, "order", ["gradients"], width, writes=False))
        phases.append(_phase(2, "unique", held, width, writes=True))
    arguments["sums"] = f"memref<{_BLOCKS}x{width}xf32>"
    texts = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    return f"""
func.func @roof({texts}) attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %blocks = arith.constant {_BLOCKS} : index
  %ahead = arith.constant {min(_MOST_AHEAD, _AHEAD_BYTES // (4 * width))} : index
  %zeros = arith.constant dense<0.0> : vector<{width}xf32>{"".join(phases)}
  return
}}
"""


def _phase(number: int, ids: str, arrays: list[str], width: int, *, writes: bool) -> str:
    """Return a phase that adds the rows that ids name of all arrays, and writes the sums there."""
    names = {"type": f"memref<?x{width}xf32>", "width": width}
    names["access"] = "write" if writes else "read"
    lines: list[str] = []
    for k, array in enumerate(arrays):
        names |= {"k": k, "array": array, "sum": f"t{k - 1}" if k else "s"}
        lines += [_PREFETCH.format(at=at, **names) for at in range(0, width, 16)]
        lines += [_READ.format(**names), *([_WRITE.format(**names)] if writes else [])]
    return _PHASE.format(
        n=number,
        ids=ids,
        width=width,
        blocks=_BLOCKS,
        body="\n".join(lines),
        last=len(arrays) - 1,
    )
