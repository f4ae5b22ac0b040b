"""The `sdykit` command: pictures and answers about programs, one module for each subcommand."""
