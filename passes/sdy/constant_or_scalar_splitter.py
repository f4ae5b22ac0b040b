"""`-sdy-constant-or-scalar-splitter`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.passes.sdy.constant_splitter import ConstantSplitterPass


@dataclass(frozen=True)
class ConstantOrScalarSplitterPass(ConstantSplitterPass):
    """Do what `-sdy-constant-splitter` does; this is the name in Shardy's C++."""

    name = "sdy-constant-or-scalar-splitter"
