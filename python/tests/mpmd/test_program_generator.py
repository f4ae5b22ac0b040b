"""The random programs: valid, reproducible, varied, and clean where they are meant to be."""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, find, given, settings

import sdykit
from sdykit.mlir import ir, passmanager
from support import oracle
from support.amounts import examples
from support.mpmd.oracle import UNTIL_EXPORT, MpmdOracle
from support.mpmd.programs import EXECUTABLE, ProgramSpec, program_text, programs, random_program
from support.mpmd.programs.faults import FAULTS, faults
from support.mpmd.programs.features import OPTIONAL, Features
from support.mpmd.programs.occurrences import DETAILS, FEATURES, FREE

SEEDS = 400
MODES = pytest.mark.parametrize("clean", [True, False], ids=["oracle", "free"])


@cache
def texts(clean: bool) -> list[str]:
    return [random_program(seed, oracle=clean) for seed in range(SEEDS)]


def parse(text: str) -> ir.Module:
    """Parse and verify, with registered dialects only."""
    return ir.Module.parse(text, oracle.context())


# --- valid, reproducible ----------------------------------------------------


@MODES
@pytest.mark.parametrize("features", [{}, {"mistakes": True, "placed_transfers": True}])
def test_random_programs_are_valid(clean: bool, features: dict[str, bool]) -> None:
    for seed in range(SEEDS):
        assert parse(random_program(seed, oracle=clean, **features)).operation.verify()


def test_equal_seeds_produce_equal_programs() -> None:
    """Also in other processes, whatever the order of their sets."""
    code = (
        "from support.mpmd.programs import random_program\n"
        "import hashlib\n"
        "text = ''.join(random_program(seed, seed % 2 == 0) for seed in range(60))\n"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    roots = [str(Path(__file__).parents[1]), str(Path(sdykit.__file__).parents[1])]
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(roots), "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed in ("0", "1")
    }
    again = "".join(random_program(seed, seed % 2 == 0) for seed in range(60))
    assert found == {hashlib.sha256(again.encode()).hexdigest()}


def test_different_seeds_produce_different_programs() -> None:
    assert len(set(texts(True))) > 0.97 * SEEDS


def test_a_program_without_some_statements_keeps_its_header() -> None:
    whole = ProgramSpec(7, (11, 12, 13))
    for at in range(3):
        rest = ProgramSpec(7, tuple(s for i, s in enumerate(whole.statements) if i != at))
        found, wanted = (program_text(spec, Features()) for spec in (rest, whole))
        assert len(found) < len(wanted)
        assert _topology(found) == _topology(wanted)


def _topology(text: str) -> list[str]:
    return re.findall(r"#mpmd\.topology<.*>", text)


# --- varied -----------------------------------------------------------------


@MODES
@pytest.mark.parametrize(("name", "pattern"), [*FEATURES.items(), *DETAILS.items()])
def test_every_feature_occurs(clean: bool, name: str, pattern: str) -> None:
    assert _programs_with(pattern, texts(clean)) >= 4, name


@pytest.mark.parametrize(("name", "pattern"), FREE.items())
def test_helpers_and_uncalled_functions_occur(name: str, pattern: str) -> None:
    assert _programs_with(pattern, texts(False)) >= 10, name
    assert not _programs_with(pattern, texts(True)), name


def _programs_with(pattern: str, found: list[str]) -> int:
    regex = re.compile(pattern, re.MULTILINE)
    return sum(regex.search(text) is not None for text in found)


def test_every_feature_is_tested() -> None:
    by_hand = {"uneven_meshes", "repeated", "large"}
    assert {*FEATURES, *FREE, *by_hand} == set(OPTIONAL)


@pytest.mark.parametrize("name", [*FEATURES, *FREE])
def test_a_feature_can_be_switched_off(name: str) -> None:
    off = {name: False}
    pattern = {**FEATURES, **FREE}[name]
    found = [random_program(seed, oracle=name in FEATURES, **off) for seed in range(SEEDS // 2)]
    assert not _programs_with(pattern, found)


@MODES
def test_meshes_have_different_shapes_only_if_uneven(clean: bool) -> None:
    def uneven(text: str) -> bool:
        return len(set(re.findall(r'": (<\[[^]]*\]>)', _topology(text)[0]))) > 1

    assert sum(map(uneven, texts(clean))) > SEEDS // 20
    for seed in range(SEEDS):
        assert not uneven(random_program(seed, oracle=clean, uneven_meshes=False))


@MODES
def test_bodies_of_fragments_repeat_on_one_mesh_and_on_several(clean: bool) -> None:
    def repetitions(text: str) -> Counter[str]:
        """Count fragments with one body: on one mesh, on several, with other marks."""
        fragments = re.findall(
            r'mpmd\.fragment<mesh="([^"]*)".*?> \(.*?\) (.*)\{\n((?:.*\n)*?) *\} : \(', text
        )
        seen: dict[str, list[tuple[str, str]]] = {}
        for mesh, words, body in fragments:
            seen.setdefault(re.sub(r" loc\(.*\)$", "", body, flags=re.MULTILINE), []).append(
                (mesh, words)
            )
        several = [members for members in seen.values() if len(members) > 1]
        return Counter(
            one_mesh=any(len({m for m, _ in members}) < len(members) for members in several),
            several_meshes=any(len({m for m, _ in members}) > 1 for members in several),
            three=any(len(members) > 2 for members in several),
        )

    found = sum((repetitions(text) for text in texts(clean)), Counter[str]())
    assert min(found.values()) > SEEDS // 20, found
    assert len(found) == 3


def test_executable_programs_have_no_unknown_ops() -> None:
    for seed in range(SEEDS):
        text = random_program(seed, oracle=False, **EXECUTABLE)
        assert "custom_call" not in text
        assert "sdy.manual_computation" not in text
        assert "!stablehlo.token" not in text


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs(loops=False))
def test_hypothesis_draws_valid_programs(text: str) -> None:
    assert parse(text).operation.verify()
    assert "stablehlo.while" not in text


def test_hypothesis_shrinks_a_program_to_the_statements_that_matter() -> None:
    # hypothesis draws constants of the modules that happen to be loaded, too: a single search may
    # end a step before the smallest program.
    smallest = min(
        (
            find(
                programs(oracle=False),
                lambda text: "mpmd.transfer" in text and "mpmd.fragment<" in text,
                settings=settings(max_examples=examples(1000), deadline=None, database=None),
                random=random.Random(seed),
            )
            for seed in range(4)
        ),
        key=len,
    )
    assert smallest.count("mpmd.fragment<") == 1
    assert smallest.count("mpmd.transfer ") == 1
    assert len(smallest.splitlines()) < 11, smallest
    assert not re.search(r"layout_mode|memory_kind|sharding=|donor|aliasing|loc\(", smallest)


# --- clean ------------------------------------------------------------------


def test_canonicalization_and_cse_do_not_change_oracle_programs() -> None:
    for text in texts(True):
        module = parse(text)
        before = str(module)
        with module.context:
            passmanager.PassManager.parse(
                "builtin.module(canonicalize,cse,canonicalize,symbol-dce)"
            ).run(module.operation)
        assert str(module) == before


def test_the_clean_ups_of_the_oracle_do_not_change_oracle_programs(partitioner: MpmdOracle) -> None:
    """It is asked whether the program reaches the export passes as it is, locations included."""
    checked = 0
    for seed in range(SEEDS):
        text = random_program(seed, fragment_attributes=False, placed_transfers=True)
        if "@main() -> () " in text:
            continue  # Without arguments and results it cannot be stopped there.
        outcome = partitioner(text, UNTIL_EXPORT)
        assert outcome.text is not None, f"{outcome}\n{text}"
        # Those are for the propagation in front of the clean-ups.
        propagated = re.sub(r", (in|out)_shardings=\[.*?\](?=[,>] ?(\(|out_))", "", _located(text))
        assert _located(outcome.text) == propagated
        checked += 1
    assert checked > 0.9 * SEEDS


def _located(text: str) -> str:
    asm = oracle.parse(text).operation.get_asm(enable_debug_info=True, use_local_scope=True)
    assert isinstance(asm, str)
    return asm


def test_the_oracle_exports_every_program(partitioner: MpmdOracle) -> None:
    for text in texts(True):
        outcome = partitioner(text)
        assert outcome.text is not None, f"{outcome}\n{text}"
        assert outcome.text.count("mpmd.fragment_call<") == text.count("mpmd.fragment<")
        assert outcome.text.count("mpmd.transfer ") == text.count("mpmd.transfer ")


def test_clean_ups_change_programs_without_restrictions() -> None:
    found = Counter(fault for text in texts(False) for fault in faults(parse(text)))
    assert not [fault for text in texts(True) for fault in faults(parse(text))]
    assert min(found.values()) >= 10, found
    assert len(found) == len(FAULTS)
