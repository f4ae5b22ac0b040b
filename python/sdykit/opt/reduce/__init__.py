"""From a module with which something fails to the smallest one that still does.

`search` is the loop: it applies the `edits` (those of functions are in `signatures`, those that
replace values in `values`) and keeps a candidate if it still fails as `failures` describes. A
`worker` is the child process in which one candidate is made and tested.
"""
