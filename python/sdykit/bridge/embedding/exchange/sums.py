"""Programs that sum rows by sample, and gradients by row."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.exchange.entries import Entries
from sdykit.bridge.embedding.exchange.route import Route
from sdykit.sparsecore.exchange import Exchange
from sdykit.sparsecore.specs import INT32_MAX

_ROWS = """
func.func @sum_rows(%owners: memref<?x?xi32> {{sparsecore.name = "owners", sparsecore.work = 64 : i64}},
                    %numbers: memref<?x?xi32> {{sparsecore.name = "numbers"}},
                    %samples: memref<?x?xi32> {{sparsecore.name = "samples"}},
                    {argument}
                    %rows: memref<?x?xf32> {{sparsecore.name = "rows"}},
                    %parts: memref<?x?xf32> {{sparsecore.name = "parts"}},
                    %sums: memref<?x?xf32> {{sparsecore.name = "sums"}},
                    %latest: memref<?xi32> {{sparsecore.name = "latest"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lanes = arith.constant {lanes} : index
  %none = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : vector<{lanes}xf32>
  %cores = memref.dim %numbers, %c0 : memref<?x?xi32>
  %size = memref.dim %numbers, %c1 : memref<?x?xi32>
  %all = memref.dim %sums, %c0 : memref<?x?xf32>
  %dim = memref.dim %sums, %c1 : memref<?x?xf32>
  %of_core = arith.divui %all, %cores : index
  scf.parallel (%core) = (%c0) to (%cores) step (%c1) {{
    scf.for %i = %c0 to %size step %c1 {{
      %number = memref.load %numbers[%core, %i] : memref<?x?xi32>
      %is_row = arith.cmpi sge, %number, %none : i32
      scf.if %is_row {{
        %at = arith.index_cast %number : i32 to index
        %own = memref.load %samples[%core, %i] : memref<?x?xi32>
        %sample = arith.index_cast %own : i32 to index
        %owner = memref.load %owners[%core, %i] : memref<?x?xi32>
        %before = memref.load %latest[%sample] : memref<?xi32>
        %is_other = arith.cmpi ne, %owner, %before : i32
        memref.store %owner, %latest[%sample] : memref<?xi32>
        {gain}
        scf.for %column = %c0 to %dim step %lanes {{
          %held = vector.load %parts[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
          %part = scf.if %is_other -> (vector<{lanes}xf32>) {{
            %total = vector.load %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
            %more = arith.addf %total, %held : vector<{lanes}xf32>
            vector.store %more, %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
            scf.yield %zero : vector<{lanes}xf32>
          }} else {{
            scf.yield %held : vector<{lanes}xf32>
          }}
          %row = vector.load %rows[%at, %column] : memref<?x?xf32>, vector<{lanes}xf32>
          {term}
          %next = arith.addf %part, %term : vector<{lanes}xf32>
          vector.store %next, %parts[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
        }}
      }}
    }}
    %first = arith.muli %core, %of_core : index
    %end = arith.addi %first, %of_core : index
    scf.for %sample = %first to %end step %c1 {{
      scf.for %column = %c0 to %dim step %lanes {{
        %part = vector.load %parts[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
        %total = vector.load %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
        %sum = arith.addf %total, %part : vector<{lanes}xf32>
        vector.store %sum, %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
      }}
    }}
  }}
  return
}}
"""

_SAMPLES = """
func.func @sum_samples(%owners: memref<?x?xi32> {{sparsecore.name = "owners", sparsecore.work = 64 : i64}},
                       %numbers: memref<?x?xi32> {{sparsecore.name = "numbers"}},
                       {argument}
                       %rows: memref<?x?xf32> {{sparsecore.name = "rows"}},
                       %sums: memref<?x?xf32> {{sparsecore.name = "sums"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lanes = arith.constant {lanes} : index
  %none = arith.constant -1 : i32
  %end = arith.constant {pad} : i32
  %zero = arith.constant dense<0.0> : vector<{lanes}xf32>
  %samples = memref.dim %numbers, %c0 : memref<?x?xi32>
  %valency = memref.dim %numbers, %c1 : memref<?x?xi32>
  %dim = memref.dim %sums, %c1 : memref<?x?xf32>
  scf.parallel (%sample) = (%c0) to (%samples) step (%c1) {{
    scf.for %column = %c0 to %dim step %lanes {{
      vector.store %zero, %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
    }}
    // One owner of ids of the sample after another.
    %last = scf.while (%before = %none) : (i32) -> i32 {{
      %next = scf.for %k = %c0 to %valency step %c1 iter_args(%least = %end) -> (i32) {{
        %own = memref.load %owners[%sample, %k] : memref<?x?xi32>
        %is_later = arith.cmpi sgt, %own, %before : i32
        %later = arith.select %is_later, %own, %end : i32
        %less = arith.minsi %least, %later : i32
        scf.yield %less : i32
      }}
      %is_owner = arith.cmpi ne, %next, %end : i32
      scf.condition(%is_owner) %next : i32
    }} do {{
    ^of_owner(%owner: i32):
      scf.for %column = %c0 to %dim step %lanes {{
        %part = scf.for %k = %c0 to %valency step %c1 iter_args(%so_far = %zero) -> (vector<{lanes}xf32>) {{
          %own = memref.load %owners[%sample, %k] : memref<?x?xi32>
          %is_same = arith.cmpi eq, %own, %owner : i32
          %more = scf.if %is_same -> (vector<{lanes}xf32>) {{
            %number = memref.load %numbers[%sample, %k] : memref<?x?xi32>
            %at = arith.index_cast %number : i32 to index
            %row = vector.load %rows[%at, %column] : memref<?x?xf32>, vector<{lanes}xf32>
            {gain}
            {term}
            %added = arith.addf %so_far, %term : vector<{lanes}xf32>
            scf.yield %added : vector<{lanes}xf32>
          }} else {{
            scf.yield %so_far : vector<{lanes}xf32>
          }}
          scf.yield %more : vector<{lanes}xf32>
        }}
        %total = vector.load %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
        %sum = arith.addf %total, %part : vector<{lanes}xf32>
        vector.store %sum, %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
      }}
      scf.yield %owner : i32
    }}
  }}
  return
}}
"""

_GRADIENTS = """
func.func @sum_gradients(%numbers: memref<?x?xi32> {{sparsecore.name = "numbers", sparsecore.work = 64 : i64}},
                         %words: memref<?x?xi32> {{sparsecore.name = "words"}},
                         %starts: memref<?xi32> {{sparsecore.name = "starts"}},
                         %entries: memref<?xi32> {{sparsecore.name = "entries"}},
                         %samples: memref<?xi32> {{sparsecore.name = "samples"}},
                         {argument}
                         %gradients: memref<?x?xf32> {{sparsecore.name = "gradients"}},
                         %sums: memref<?x?xf32> {{sparsecore.name = "sums"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lanes = arith.constant {lanes} : index
  %none = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : vector<{lanes}xf32>
  %owners = memref.dim %numbers, %c0 : memref<?x?xi32>
  %room = memref.dim %numbers, %c1 : memref<?x?xi32>
  %width = memref.dim %words, %c1 : memref<?x?xi32>
  %dim = memref.dim %sums, %c1 : memref<?x?xf32>
  %id_rows = arith.divui %width, %dim : index
  %of_owner = arith.addi %id_rows, %room : index
  scf.parallel (%owner) = (%c0) to (%owners) step (%c1) {{
    %first = arith.muli %owner, %of_owner : index
    scf.for %i = %c0 to %width step %c1 {{
      %in_owner = arith.divui %i, %dim : index
      %at = arith.addi %first, %in_owner : index
      %column = arith.remui %i, %dim : index
      %word = memref.load %words[%owner, %i] : memref<?x?xi32>
      %bits = arith.bitcast %word : i32 to f32
      memref.store %bits, %sums[%at, %column] : memref<?x?xf32>
    }}
  }}
  scf.parallel (%owner, %k) = (%c0, %c0) to (%owners, %room) step (%c1, %c1) {{
    %number = memref.load %numbers[%owner, %k] : memref<?x?xi32>
    %is_row = arith.cmpi sge, %number, %none : i32
    scf.if %is_row {{
      %before = arith.muli %owner, %of_owner : index
      %in_owner = arith.addi %id_rows, %k : index
      %at = arith.addi %before, %in_owner : index
      %this = arith.index_cast %number : i32 to index
      %following = arith.addi %this, %c1 : index
      %from = memref.load %starts[%this] : memref<?xi32>
      %to = memref.load %starts[%following] : memref<?xi32>
      %first = arith.index_cast %from : i32 to index
      %end = arith.index_cast %to : i32 to index
      scf.for %column = %c0 to %dim step %lanes {{
        %sum = scf.for %i = %first to %end step %c1 iter_args(%so_far = %zero) -> (vector<{lanes}xf32>) {{
          %entry = memref.load %entries[%i] : memref<?xi32>
          %place = arith.index_cast %entry : i32 to index
          %own = memref.load %samples[%place] : memref<?xi32>
          %sample = arith.index_cast %own : i32 to index
          %row = vector.load %gradients[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
          {gain}
          {term}
          %next = arith.addf %so_far, %term : vector<{lanes}xf32>
          scf.yield %next : vector<{lanes}xf32>
        }}
        vector.store %sum, %sums[%at, %column] : memref<?x?xf32>, vector<{lanes}xf32>
      }}
    }}
  }}
  return
}}
"""
_GAIN = """%gain = memref.load %gains[{place}] : {gains}
        %factor = vector.broadcast %gain : f32 to vector<{lanes}xf32>"""
_PLACES = {_ROWS: "%core, %i", _SAMPLES: "%sample, %k", _GRADIENTS: "%place"}
"""The place of the gain of an entry in each program."""
_MAX_LANES = 16


@cache
def _program(text: str, dim: int, *, has_gains: bool) -> str:
    lanes = next(size for size in (_MAX_LANES, 8, 4, 2, 1) if dim % size == 0)
    place = _PLACES[text]
    gains = "memref<?x?xf32>" if "," in place else "memref<?xf32>"
    argument = f'%gains: {gains} {{sparsecore.name = "gains"}},'
    gain, term = _GAIN.format(place=place, gains=gains, lanes=lanes), "arith.mulf %factor, %row"
    if not has_gains:
        argument, gain, term = "", "", "arith.addf %row, %zero"
    term = f"%term = {term} : vector<{lanes}xf32>"
    return text.format(lanes=lanes, argument=argument, gain=gain, term=term, pad=INT32_MAX)


def sum_rows(
    exchange: Exchange, rows: jax.Array, entries: Entries, route: Route, cores: int
) -> jax.Array:
    """Return the sum of the rows of each sample, each operation rounded, float32 `[samples, dim]`.

    The rows of each owner are added in the order of the entries, to +0, and these sums by owner, to
    +0.

    Args:
        exchange: the sizes.
        rows: float32 `[ids, dim]`: those of the ids of the route.
        entries: the entries of this device.
        route: the numbers of their rows.
        cores: the number of SparseCores, each of which has as many entries and samples.
    """
    of_core = (cores, -1) if entries.valency is None else (-1, entries.valency)
    sums = jax.ShapeDtypeStruct((exchange.samples, exchange.dim), jnp.float32)
    owners = jnp.where(route.numbers < 0, -1, entries.ids // exchange.rows)
    numbers, owners = route.numbers.reshape(of_core), owners.reshape(of_core)
    gains = [] if entries.gains is None else [entries.gains.reshape(of_core)]
    has_gains = bool(gains)
    if entries.valency is not None:
        program = _program(_SAMPLES, exchange.dim, has_gains=has_gains)
        return ffi.call(program, [owners, numbers, *gains, rows], [sums])[0]
    operands = [owners, numbers, entries.samples.reshape(of_core), *gains, rows]
    zeros = jnp.zeros(sums.shape)
    results = [zeros, zeros, jnp.full(exchange.samples, -1, jnp.int32)]
    program = _program(_ROWS, exchange.dim, has_gains=has_gains)
    aliases = {len(operands) + number: number for number in range(len(results))}
    return ffi.call(program, [*operands, *results], results, input_output_aliases=aliases)[1]


def sum_gradients(
    exchange: Exchange,
    gradients: jax.Array,
    entries: Entries,
    route: Route,
    *,
    numbers: jax.Array,
    words: jax.Array,
) -> jax.Array:
    """Return what is sent to each owner, float32 `[devices * (id_rows + capacity), dim]`.

    First are the words, in `id_rows` rows, then the sums of the gradients of ids. They are added in the
    order of the entries, to +0; what is in room that is not used is not defined.

    Args:
        exchange: the sizes.
        gradients: float32 `[samples, dim]`.
        entries: the entries of this device.
        route: the order of their rows.
        numbers: int32 `[devices * capacity]`: the numbers of the ids that are sent; -1: none.
        words: int32 `[devices, id_rows * dim]`: ids and what is before them.
    """
    gains = [] if entries.gains is None else [entries.gains]
    of_owners = numbers.reshape(exchange.devices, -1)
    operands = [of_owners, words, route.starts, route.entries, entries.samples, *gains, gradients]
    rows = exchange.devices * (exchange.id_rows + exchange.capacity)
    shape = jax.ShapeDtypeStruct((rows, exchange.dim), jnp.float32)
    program = _program(_GRADIENTS, exchange.dim, has_gains=bool(gains))
    return ffi.call(program, operands, [shape])[0]
