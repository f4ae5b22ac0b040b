"""HLO text: the reader and the printer.

Read `reader` first: it reads headers and computations, and `body` their instructions, most of
them with one regular expression of `lexis`. What that does not match is read step by step, by
`scanner` and `phrases`, which also say what is wrong with it. `unsugar` turns `add-start` and
the like into `async-start` after reading; `sugar` finds, for `printer`, where to turn it back.
"""
