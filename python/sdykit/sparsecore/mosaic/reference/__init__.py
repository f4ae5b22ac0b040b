"""The reference machine: what each op of a kernel means, in Python and numpy.

What is where:

- `run`: runs a kernel; start here. `machine` is what all subcores of a call share, `subcore` one of
  them, `scheduler` who runs next, `conditions` what they wait for.
- `memory`, `views` (and `bits`), `semaphores`: what is in the machine.
- `translation` makes Python functions of a kernel's, `regions` those of loops and conditions.
- What ops do, with the rows of the documentation: `memrefs`, `accesses` (loads and stores),
  `transfers` (DMAs), `synchronization`, `debugging`.
- What ops on scalars and vectors mean: `meanings` finds it in `integers`, `floats`, `casts`,
  `shapes`, `lanes`.
- `checks`: races between subcores, and data that are touched before their transfer was waited for.
"""
