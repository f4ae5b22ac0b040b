"""Code that looks for wrong input while a program runs, so that no other memory is accessed.

Each module has its messages; `status` writes the number of one, and the values in it, to the
program's status.
"""
