"""The form in which XLA keeps shardings of sdy in HLO: as text in frontend attributes."""
