"""HLO modules under the interface of the passes.

Read `program` first: `HloProgram` implements `_program.Program`. Its larger changes (`wrapping`,
`threads`) and the properties of instructions that it depends on (`facts`) are modules beside it.
"""
