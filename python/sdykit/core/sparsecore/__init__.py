"""What builder, passes and code generation know alike of a tile program.

Start with `steps`: the vocabulary of the steps that a program is made of, and how a step is read
from the IR. `sizes` evaluates the sizes of buffers, and `names` has the names of all attributes.
`nesting`, `views` and `elements` read where ops are, the parts of views, and sizes of elements.
"""
