"""HLO text: the reader and the printer.

Read `reader` first: it reads headers and computations, and `body` their instructions, nearly all
with one regular expression of `lexis`. Text that does not match it is read step by step, by
`scanner` and `phrases`, which also report what is wrong with it. `unsugar` converts `add-start`
and the like to `async-start` after reading; `sugar` finds what `printer` can convert back.
"""
