"""The devices of a program, simulated on CPU devices of this process.

`mesh` has their coordinates and groups, `layout` says how a tensor lies on them, `parts` splits arrays into
what they hold and joins it again, and `client` compiles programs and runs them.
"""
