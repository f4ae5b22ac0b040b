"""Checks of a program's input while it runs, so that wrong input accesses no other memory.

There is one module for each form of input, with its messages: `buffers`, `ids`, and the `index` of
entries by sample. `status` writes the number of a message, and its values, to the program's status.
"""
