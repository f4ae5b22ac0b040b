"""The passes of Shardy and StableHLO that are C++ inside jaxlib.

`passes` explains which they are and by which names they run; `shardy` and `stablehlo` are the
tables; `comparing` is `--compare-with-cpp`.
"""
