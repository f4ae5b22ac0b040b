"""The `sdykit` command: a module for each subcommand, named as it is, with a `COMMAND`.

`main` finds the subcommands and runs one; `command` is what they have in common (read it
first). `completion.sh` is the part of the shell's completion that is written by hand.
"""
