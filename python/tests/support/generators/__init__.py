"""Random modules of the `sdy` dialect: valid by construction, small, and varied.

`spec` says what a module is drawn from (a few integers, so that hypothesis shrinks by
leaving statements out), `modules` turns a spec into text.
"""

from support.generators.modules import module_text
from support.generators.spec import FunctionSpec, ModuleSpec, module_specs, seeded_spec

__all__ = ["FunctionSpec", "ModuleSpec", "module_specs", "module_text", "seeded_spec"]
