"""Pictures of what passes do: self-contained HTML reports, and tables for terminals."""
