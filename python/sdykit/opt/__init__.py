"""The command-line drivers `sdy-opt`, `mpmd-opt` and `hlo-opt`, for those who know `mlir-opt`.

The way of a command line through this package: `main` starts a child process
(`process.guard`), `flags` turns the words into `Arguments`, `tools` picks the session for the
tool, and `Session.run` in `session` reads the input (`io`), cuts it into pieces, and parses,
transforms and prints each. What that means for MLIR is in `mlir`, for HLO in `hlo`.

| Module or room | Holds |
|---|---|
| `main`, `tools` | the entry points; the three tools and their flags |
| `process` | the child process, streams, exit codes |
| `flags` | flags, the parser of the command line, `--help` |
| `pipelines` | which passes the flags name, and in which order they run |
| `session` | one run, whatever the language |
| `mlir`, `hlo` | the runs over MLIR and over HLO: parse, transform, print |
| `io` | input and output files |
| `diagnostics` | errors and warnings: printed, or compared with expectations |
| `instrumentation` | the IR between passes, their times, and the report, as the flags ask for |
| `cpp` | the C++ passes of Shardy and StableHLO in jaxlib, and the comparison with ours |
| `reduce` | the search that `sdykit reduce` runs |

Read `session` first.
"""
