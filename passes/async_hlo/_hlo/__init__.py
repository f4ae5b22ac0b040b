"""HLO modules for the passes: `program.HloProgram` is what they work on.

Its larger changes (`wrapping`, `threads`) and what it knows of single instructions (`facts`) are
modules beside it.
"""
