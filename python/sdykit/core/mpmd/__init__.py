"""Questions that passes and pictures ask of an MPMD program.

Start with `program`: the functions, fragments and meshes of a program, and the attributes of
their arguments and results. `origins` names fragments after the computations they come from.
"""
