"""Why tensors are sharded as they are, and why not otherwise: propagation with all its steps recorded.

Read `model` first: an `Explanation` holds the program, its tensors, every step and every refusal.
`explain` makes one of a JAX function, `explain_text` of a module; `json_text` writes it. `recording`
is told of each step by the propagation in `sdykit.passes.sdy._propagation`. `questions` are asked of it,
`sentences` and `answers` put what they return into words; `page` is for a browser. `costs` are the
collectives of the partitioned program: what it communicates, how much, and why.
"""

from sdykit.explain.costs.asserting import assert_collectives
from sdykit.explain.from_jax import explain
from sdykit.explain.golden import assert_shardings
from sdykit.explain.json_text import as_json, json_text
from sdykit.explain.model import Explanation
from sdykit.explain.run import explain_module, explain_text

__all__ = [
    "Explanation",
    "as_json",
    "assert_collectives",
    "assert_shardings",
    "explain",
    "explain_module",
    "explain_text",
    "json_text",
]
