"""`Embedding`, the layer: tables and features of a model, stacked and split over devices.

Read `embedding` first. `stack_runner` looks up and updates stack after stack, `variables` makes
tables and slots with `initial_values`, `placement` knows the devices.
"""
