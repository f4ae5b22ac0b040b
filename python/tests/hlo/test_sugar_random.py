"""Random programs printed with sugar or without read back as the same program."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings

from sdykit import hlo
from support.amounts import examples
from support.hlo.async_chains import chain_programs
from support.hlo.sugar_programs import Writer, meaning, sugar_in, sugar_programs
from support.hlo.xla_process import reprinted


def check(text: str) -> None:
    module = hlo.read(text)
    expected = meaning(module)
    forms = {sugar: hlo.to_text(module, syntax_sugar=sugar) for sugar in (True, False)}
    for form in forms.values():
        again = hlo.read(form)
        assert meaning(again) == expected
        assert hlo.to_text(again, syntax_sugar=True) == forms[True]
        back = hlo.read(hlo.to_text(again, syntax_sugar=False))
        assert meaning(back) == expected
        assert hlo.to_text(back, syntax_sugar=True) == forms[True]
    assert hlo.to_text(hlo.read(forms[False]), syntax_sugar=False) == forms[False]
    assert sugar_in(forms[False]) == 0


@settings(max_examples=examples(400), deadline=None, derandomize=True)
@given(sugar_programs())
def test_both_forms_read_back_as_the_same_program(text: str):
    check(text)


@settings(max_examples=examples(150), deadline=None, derandomize=True)
@given(chain_programs())
def test_both_forms_of_overlapping_chains_read_back_as_the_same_program(text: str):
    check(text)


def test_xla_reads_both_forms_as_the_same_program():
    texts = [Writer(Random(seed)).program() for seed in range(150)]
    modules = [hlo.read(text) for text in texts]
    sugared = [hlo.to_text(module) for module in modules]
    explicit = [hlo.to_text(module, syntax_sugar=False) for module in modules]
    assert sum(map(sugar_in, sugared)) > 100
    assert sum("async-start" in text for text in sugared) > 50
    expected = reprinted(texts, canonical=True)
    assert not [text for text in expected if text.startswith("refused")]
    assert reprinted(sugared, canonical=True) == expected
    assert reprinted(explicit, canonical=True) == expected
