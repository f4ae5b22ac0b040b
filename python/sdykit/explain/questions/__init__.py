"""Questions on a recorded propagation, each with an answer of frozen objects.

`why` follows an axis back to who gave it, `reach` forwards; `why_not` tells what stood in its way,
`obstacles` what stands in the way most; `replicated` lists large tensors, `changed` compares two
programs. All begin with an `Index` of the explanation.
"""

from sdykit.explain.questions.changed import Changed, changed
from sdykit.explain.questions.index import Index
from sdykit.explain.questions.obstacles import Obstacle, obstacles
from sdykit.explain.questions.reach import Reach, reach
from sdykit.explain.questions.replicated import Replicated, replicated
from sdykit.explain.questions.why import Link, why
from sdykit.explain.questions.why_not import WhyNot, why_not

__all__ = [
    "Changed",
    "Index",
    "Link",
    "Obstacle",
    "Reach",
    "Replicated",
    "WhyNot",
    "changed",
    "obstacles",
    "reach",
    "replicated",
    "why",
    "why_not",
]
