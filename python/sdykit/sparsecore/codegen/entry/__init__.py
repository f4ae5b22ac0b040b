"""The entry function of a tile program, and its phases: from an MLIR module to an LLVM module.

Read `module` first. `function` takes the entry function apart, and `attributes` reads what it tells
callers; `phases` translates each top-level loop, `llvm_functions` has the functions of a phase
in LLVM IR, and `together` what the runtime has to know of a phase of agents.
"""
