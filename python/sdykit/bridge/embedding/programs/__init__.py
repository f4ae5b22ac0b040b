"""Tile programs as functions of JAX: those of specs, and small ones that prepare and check arrays.

Read `call` first: lookups and updates go through it. `shared_errors` lets all devices fail
together. The others hold one program each, as MLIR text beside the function that runs it: `gains`
of mean and sqrtn, `raw_ids` (a check), `entries` of all devices, `minibatches` (their number),
`hyperparameters` of a step, and `sums` of the parts of activations. `counting` has what runs of all
programs count.
"""
