"""Joining the steps of a tile program.

`join` is where to start: it joins a map step, of which `maps` says what it copies, with the steps
after it. `numbers` does without de-duplication, `unused` erases what nothing reads any more.
"""
