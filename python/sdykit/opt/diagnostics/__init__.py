"""Errors, warnings, remarks and notes on their way to the user.

`reporting` receives all diagnostics of a run; `rendering` makes their text, with the source
line and a caret, out of the lines that `sources` keeps; `verify_diagnostics` compares them with
the `expected-error {{...}}` comments of the input instead.
"""
