"""What an update does to a row and its slots.

Start with `rule`, which defines a rule. `optimizers` has those of the optimizers, `stablehlo`
makes one of a user's function.
"""
