"""The verifier of asynchronous HLO, and warnings of names that XLA does not know.

Read `verifier` first: it lists the rules and runs the checks, which are in a module for each
kind and add located errors to a `report.Report`. `unknown_names` stands apart: it warns of
opcodes and element types, asynchronous or not.
"""

from sdykit.hlo.verify.verifier import VerificationError, check, verify

__all__ = ["VerificationError", "check", "verify"]
