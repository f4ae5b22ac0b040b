"""Readers of files of ids."""
