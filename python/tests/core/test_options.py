from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.core import ModulePass
from sdykit.core.options import make, nearest, option_specs, split_options
from sdykit.errors import PassLoadError, PipelineError


@dataclass(frozen=True)
class AllPass(ModulePass):
    """Has an option of each type."""

    name = "all"
    limit: ClassVar[int] = 3

    min_size: int = 1
    """Skip smaller tensors.

    Second paragraph.
    """
    rate: float = 0.5
    mode: Literal["fast", "slow"] = "fast"
    verbose: bool = False
    strict: bool | None = None
    label: str = ""
    sizes: tuple[int, ...] = ()
    words: tuple[Literal["a", "b"], ...] = ("a",)
    names: tuple[str, ...] = field(default_factory=lambda: ("x", "y"))


@dataclass(frozen=True)
class RenamedChoicePass(ModulePass):
    """Has a choice that had another name."""

    name = "renamed"
    speed: Literal["fast", "slow"] = field(
        default="fast", metadata={"former_values": {"lazy": "slow"}}
    )


@dataclass(frozen=True)
class RequiredPass(ModulePass):
    """Has an option without a default."""

    name = "required"
    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(f"size must not be negative, found {self.size}")


@dataclass(frozen=True)
class DerivedPass(AllPass):
    """Has its base's options too."""

    name = "derived"
    extra: int = 7
    """An option more."""


class BarePass(ModulePass):
    """Has no options and no decorator."""

    name = "bare"


VALUES: list[tuple[str, dict[str, Any]]] = [
    ("", {}),
    ("   ", {}),
    ("min-size=4", {"min_size": 4}),
    ("min_size=4", {"min_size": 4}),
    ("min-size=-4 rate=1e-3", {"min_size": -4, "rate": 1e-3}),
    ("mode=slow", {"mode": "slow"}),
    ("verbose", {"verbose": True}),
    ("verbose=true", {"verbose": True}),
    ("verbose=1", {"verbose": True}),
    ("verbose=False", {"verbose": False}),
    ("verbose=0", {"verbose": False}),
    ("strict", {"strict": True}),
    ("strict=false", {"strict": False}),
    ("label=a=b", {"label": "a=b"}),
    ("label=", {"label": ""}),
    ("label='a b'", {"label": "a b"}),
    ('label="a } b"', {"label": "a } b"}),
    ("label={a {b} c}", {"label": "a {b} c"}),
    ("sizes=1,2,3", {"sizes": (1, 2, 3)}),
    ("sizes=", {"sizes": ()}),
    ("sizes={1,2}", {"sizes": (1, 2)}),
    ("words=b,a", {"words": ("b", "a")}),
    ("\tmin-size=4\n  verbose ", {"min_size": 4, "verbose": True}),
]


@pytest.mark.parametrize(("text", "values"), VALUES)
def test_options_are_parsed_into_the_fields(text: str, values: dict[str, Any]):
    assert make(AllPass, text) == AllPass(**values)


ERRORS = [
    ("size=4", "pass 'all' has no option 'size'; did you mean 'sizes'?"),
    ("zzz", "pass 'all' has no option 'zzz'; it has min-size, rate, mode, verbose, strict, label"),
    ("min-size=x", "pass 'all': option 'min-size' expects an integer, found 'x'"),
    ("min-size=1.5", "expects an integer, found '1.5'"),
    ("min-size", "pass 'all': option 'min-size' expects a value, found no value"),
    ("rate=fast", "option 'rate' expects a number, found 'fast'"),
    ("mode=medium", "option 'mode' expects one of fast, slow, found 'medium'"),
    ("verbose=yes", "option 'verbose' expects true or false, found 'yes'"),
    ("strict=none", "option 'strict' expects true or false, found 'none'"),
    ("sizes=1,x", "option 'sizes' expects an integer, found 'x'"),
    ("words=a,c", "option 'words' expects one of a, b, found 'c'"),
    ("min-size=1 min_size=2", "option 'min_size' is given twice; expected once"),
    ("=4", "option name expected before '=' in '=4'"),
    ("label='a", "''' expected to close ''a'"),
    ("label={a", "'}' expected to close '{a'"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_options_that_cannot_be_parsed_are_an_error(text: str, message: str):
    with pytest.raises(PipelineError) as raised:
        make(AllPass, text)
    assert message in str(raised.value)


def test_an_option_without_a_default_must_be_given():
    assert make(RequiredPass, "size=3").size == 3
    with pytest.raises(PipelineError, match="pass 'required': option 'size' must be given"):
        make(RequiredPass, "")


def test_an_exception_of_post_init_is_an_error():
    with pytest.raises(PipelineError, match="pass 'required': size must not be negative, found -1"):
        make(RequiredPass, "size=-1")


def test_a_pass_without_options_refuses_any():
    assert make(BarePass, "") == BarePass()
    with pytest.raises(PipelineError, match="pass 'bare' has no options, found 'x'"):
        make(BarePass, "x=1")


def test_the_specs_of_a_pass_describe_its_fields():
    specs = {spec.name: spec for spec in option_specs(AllPass)}
    assert list(specs)[:2] == ["min-size", "rate"]
    assert "limit" not in specs
    assert specs["min-size"].help == "Skip smaller tensors.\n\nSecond paragraph."
    assert specs["rate"].help == ""
    assert {name: spec.metavar for name, spec in specs.items()} == {
        "min-size": "<int>",
        "rate": "<number>",
        "mode": "fast|slow",
        "verbose": "<true|false>",
        "strict": "<true|false>",
        "label": "<text>",
        "sizes": "<int>,...",
        "words": "a|b,...",
        "names": "<text>,...",
    }
    assert {name: spec.default_text for name, spec in specs.items()} == {
        "min-size": "1",
        "rate": "0.5",
        "mode": "fast",
        "verbose": "false",
        "strict": "",
        "label": "",
        "sizes": "",
        "words": "a",
        "names": "x,y",
    }
    assert option_specs(RequiredPass)[0].default_text == ""


def test_a_derived_class_has_the_options_of_its_base():
    specs = {spec.name: spec for spec in option_specs(DerivedPass)}
    assert specs["extra"].help == "An option more."
    assert specs["min-size"].help.startswith("Skip smaller")


def test_options_of_a_class_without_source_have_no_help():
    made = dataclasses.make_dataclass(
        "Made", [("size", int, 3)], bases=(ModulePass,), namespace={"name": "made"}, frozen=True
    )
    assert [(spec.name, spec.help) for spec in option_specs(made)] == [("size", "")]


@pytest.mark.parametrize(
    "annotation", ["dict[str, int]", "int | None", "tuple[int, int]", "list[int]", "Missing"]
)
def test_a_field_of_another_type_is_an_error(annotation: str):
    made = dataclasses.make_dataclass(
        "Odd",
        [("x", annotation, None)],
        bases=(ModulePass,),
        namespace={"name": "odd"},
        frozen=True,
    )
    with pytest.raises(PassLoadError, match="pass 'odd'"):
        option_specs(made)


def test_an_option_of_a_class_that_is_no_dataclass_is_an_error():
    class Forgotten(ModulePass):
        name: ClassVar[str] = "forgotten"
        anchor: ClassVar[str] = "builtin.module"
        size: int = 3

    with pytest.raises(PassLoadError, match="'size' looks like an option, but the class lacks"):
        option_specs(Forgotten)


def test_a_value_may_be_in_braces_or_quotes():
    assert split_options("a b=1 c='x y'") == [("a", None), ("b", "1"), ("c", "x y")]
    assert split_options("p=m(c{a=1 b=2})x q") == [("p", "m(c{a=1 b=2})x"), ("q", None)]


@settings(deadline=None)
@given(st.text("ab=,{}'\" \\()", max_size=12))
def test_any_text_is_split_or_refused(text: str):
    try:
        pairs = split_options(text)
    except PipelineError:
        return
    assert all(key for key, _ in pairs)


@settings(deadline=None)
@given(st.integers(), st.booleans(), st.lists(st.integers(), max_size=4))
def test_values_round_trip(size: int, verbose: bool, sizes: list[int]):
    text = f"min-size={size} verbose={verbose} sizes={','.join(map(str, sizes))}"
    assert make(AllPass, text) == AllPass(min_size=size, verbose=verbose, sizes=tuple(sizes))


def test_the_most_similar_name_is_suggested():
    assert nearest("canonicalise", ["cse", "canonicalize"]) == "canonicalize"
    assert nearest("sdy_x_y", ["sdy-x-z"]) == "sdy-x-z"
    assert nearest("q", ["cse"]) is None


def test_the_former_name_of_a_choice_is_read_but_not_offered() -> None:
    assert make(RenamedChoicePass, "speed=lazy") == RenamedChoicePass("slow")
    (spec,) = option_specs(RenamedChoicePass)
    assert (spec.choices, spec.metavar) == (("fast", "slow"), "fast|slow")
    with pytest.raises(PipelineError, match="'speed' expects one of fast, slow, found 'quick'"):
        make(RenamedChoicePass, "speed=quick")
