"""What tests share: cases, random programs, oracles, and programs that run in a process of their own.

A folder here has the name of what it is for: `sdy`, `mpmd`, `hlo`, `tile`, `embedding`,
`jax_tpu_embedding`, ... Used by several: `generators` (random modules), `oracle` (jaxlib's C++
passes, in a process that may crash), `comparison` (of two modules), `xla_dumps` (programs that XLA
compiled).
"""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).parent
TESTS = SUPPORT.parent
ROOT = TESTS.parents[1]
"""The checkout."""
