"""Pictures of what passes do: self-contained HTML pages, and tables for terminals.

Each page has a package of its own, with its templates: `import_report` (a run of passes),
`mpmd_view` (MPMD programs), `sharding_page` (a propagation of shardings), `limits_report` (ids and limits of embedding tables), `timeline` (runs, which
are written for other viewers, too). All share
`page`, and those with pictures of numbers `charts`.
"""
