"""The verifier of asynchronous HLO, and warnings of names that XLA does not know.

Read `verifier` first: it lists the rules and runs the checks, each kind of which is a module.
They add located errors to a `report.Report`. `unknown_names` is apart: its warnings are about
opcodes and element types, asynchronous or not.
"""

from sdykit.hlo.verify.verifier import VerificationError, check, verify

__all__ = ["VerificationError", "check", "verify"]
