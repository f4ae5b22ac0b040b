"""Lookups and updates of one table: what the layer and jax_tpu_embedding are made of.

Read `lookup` and `update` first. `source` holds the ids or buffers of a call, `on_chip` makes buffers
of raw ids, `inputs` gathers those of all devices for the program, `custom_update` traces a user's
optimizer; `no_gradient` and `one_device` are JAX primitives that refuse what a program cannot do.
"""
