"""Modules that have moved can still be imported by the name that they had."""

from __future__ import annotations

from sdykit.viz import mpmd_model, mpmd_reader, mpmd_view
from sdykit.viz.mpmd_view import model


def test_the_former_module_of_the_reader_exports_it() -> None:
    assert mpmd_reader.read_programs is mpmd_view.read_programs


def test_the_former_module_of_the_model_exports_all_its_public_names() -> None:
    names = [name for name in vars(model) if not name.startswith("_")]
    assert "Program" in names
    assert all(getattr(mpmd_model, name) is getattr(model, name) for name in names)
