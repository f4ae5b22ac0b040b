"""From the words of a command line to `Arguments`, and the texts that explain the flags.

`types` says what a flag is; `mlir` and `hlo` are the tables of flags; `arguments` parses a
command line by such a table, as LLVM's command-line library does; `help` prints the tables, and
`introductions` has the first paragraphs of `--help`.
"""
