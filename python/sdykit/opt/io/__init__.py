"""Input and output files.

`inputs` reads a file and cuts it at the split markers; `foreign_inputs` recognizes what an input
is that a tool cannot read, for the note below the error; `outputs` checks before the work that a
file can be written, and writes it whole or not at all.
"""
