"""The first paragraphs of each tool's `--help`: what it does, and examples."""

from __future__ import annotations

_MLIR = """\
{tool} reads MLIR, runs passes over it, and prints the result. It knows the dialects of \
StableHLO, Shardy (sdy) and MPMD beside MLIR's own, and takes the flags of mlir-opt.

Usage: {tool} [flags] [input file, or - for stdin]

Examples:
  {first:<49}run a pipeline, print to stdout
  {tool} model.mlir {single} --cse -o out.mlir
                                                   passes run in the order of their flags
  {tool} model.mlir --pass-pipeline='builtin.module(func.func(cse),symbol-dce)'
  {tool} model.mlir --load-pass=mine.py --my-pass='option=value other=1,2'
  {tool} model.mlir {pipeline} --mlir-print-ir-after-change
  {tool} test.mlir --split-input-file --verify-diagnostics

A flag takes one dash or two, and underscores for dashes. Flags of passes may be mixed with \
all others, except --pass-pipeline.
"""

_HLO = """\
hlo-opt reads a program as HLO text (`HloModule ...`) or MLIR, verifies its asynchronous chains, \
runs passes over it, verifies the result and prints it as HLO text or MLIR.

Usage: hlo-opt [flags] [input file, or - for stdin]

Examples:
  hlo-opt model.hlo                                only verify, and print in one style
  hlo-opt model.hlo --async-wrap='ops=custom-call execution-thread=sparsecore' -o out.hlo
                                                   launch custom calls on a thread
  hlo-opt model.hlo --async-wrap='ops=dot' --async-schedule
                                                   passes run in the order of their flags
  hlo-opt model.hlo --pass-pipeline='async-wrap{ops=dot,add},async-verify'
  hlo-opt model.hlo --syntax-sugar-async-ops=false print async-start instead of add-start
  hlo-opt model.hlo --print-async-aliasing         print which buffers alias
  hlo-opt model.hlo --load-pass=mine.py --my-pass  a pass of yours, with run_hlo(module)
  hlo-opt model.hlo --emit-mlir --mlir-print-debuginfo -o model.mlir
                                                   MLIR for sdy-opt, with the names kept
  hlo-opt model.mlir -o model.hlo                  and back
  hlo-opt test.hlo --split-input-file --verify-diagnostics

JAX prints HLO text: jax.jit(f).lower(x).as_text('hlo'), or .compile().as_text().

A flag takes one dash or two, and underscores for dashes. Flags of passes may be mixed with \
all others, except --pass-pipeline. sdy-opt runs the same async-* passes over MLIR.
"""

_INTRODUCTIONS = {
    "sdy-opt": (_MLIR, "--sdy-import-pipeline", "--sdy-lift-inlined-meshes"),
    "mpmd-opt": (_MLIR, "--mpmd-export-pipeline", "--mpmd-export-pipeline='compat=jaxlib'"),
}


def introduction(tool: str) -> str:
    """Return the text of a tool; its paragraphs are not wrapped yet."""
    if tool not in _INTRODUCTIONS:
        return _HLO
    text, pipeline, single = _INTRODUCTIONS[tool]
    first = f"{tool} model.mlir {pipeline}"
    return text.format(tool=tool, first=first, pipeline=pipeline, single=single)
