from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sdykit.passes
from sdykit.core import Pipeline, Registry
from sdykit.core.options import option_specs
from sdykit.core.upstream import UPSTREAM_PASSES
from sdykit.errors import PassLoadError, PipelineError

PASSES = Path(sdykit.passes.__path__[0])
PASS_FILES = sorted(
    path
    for path in (*PASSES.glob("[!_]*/[!_]*.py"), *PASSES.glob("[!_]*/[!_]*/__init__.py"))
    if path.stem != "pipeline"
)
GOOD = """
from sdykit.core import ModulePass

class Mine(ModulePass):
    "Mine."
    name = "mine"
    def run(self, module): pass
"""


@pytest.fixture
def load(tmp_path: Path):
    def call(text: str, name: str = "user.py") -> list[str]:
        path = tmp_path / name
        path.write_text(text)
        return Registry().load(path)

    return call


def module_in_passes(path: Path) -> str:
    """Return the name of a pass's module, as `<family>/<module>`."""
    relative = path.relative_to(PASSES)
    return str(relative.parent if path.stem == "__init__" else relative.with_suffix(""))


@pytest.mark.parametrize("path", PASS_FILES, ids=module_in_passes)
def test_every_pass_file_holds_its_pass(path: Path):
    family, _, module = module_in_passes(path).partition("/")
    prefix = family.partition("_")[0]
    name = f"{prefix}-{module.replace('_', '-')}"
    found = Registry().find(name)
    assert found is not None, f"{path} does not define a pass named {name}"
    assert inspect.getsourcefile(found) == str(path)
    assert found.name == name
    assert (found.__doc__ or "").partition("\n")[0].endswith("."), "a one-line summary comes first"
    assert all(spec.help for spec in option_specs(found)), "each option has a docstring"
    assert name in Registry().names()


def test_every_folder_in_a_family_is_a_package():
    """Without an `__init__.py` no pass in a folder would be found, and nothing would tell."""
    folders = {path.parent for path in PASSES.glob("*/**/*.py")}
    assert [each for each in folders if not (each / "__init__.py").exists()] == []


PASS = """
from sdykit.core import ModulePass

class {name}(ModulePass):
    "{name}."
    name = "trial-{flag}"
    def run(self, module): pass
"""
PIPELINE = """
from sdykit.core import Pipeline

class Trial(Pipeline):
    "Trial."
    name = "trial-both-pipeline"
    def passes(self): return ["trial-in-one-file", "trial-in-a-folder"]
"""


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the folder of a family `trial`, with a pass in a file and one in a package."""
    family = tmp_path / "trial"
    files = {
        "__init__.py": "",
        "in_one_file.py": PASS.format(name="InOneFile", flag="in-one-file"),
        "in_a_folder/__init__.py": "from sdykit.passes.trial.in_a_folder.parts import PART\n"
        + PASS.format(name="InAFolder", flag="in-a-folder"),
        "in_a_folder/parts.py": "from sdykit.passes.trial._shared.words import PART\n"
        + PASS.format(name="Part", flag="parts"),
        "_shared/__init__.py": PASS.format(name="Shared", flag="shared"),
        "_shared/words.py": "PART = 'part'\n",
        "_shared_file.py": PASS.format(name="SharedFile", flag="shared-file"),
        "no_package/module.py": PASS.format(name="NoPackage", flag="no-package"),
        ".hidden/__init__.py": "",
        ".#in_one_file.py": "",
        "__pycache__/in_one_file.cpython-311.pyc": "",
    }
    for name, text in files.items():
        path = family / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(sdykit.passes, "__path__", [*sdykit.passes.__path__, str(tmp_path)])
    yield family
    for name in [name for name in sys.modules if name.startswith("sdykit.passes.trial")]:
        del sys.modules[name]


def trial_names() -> list[str]:
    return [name for name in Registry().names() if name.startswith("trial")]


def test_a_pass_is_a_module_or_a_package_of_its_family(trial: Path):
    assert trial_names() == ["trial-in-a-folder", "trial-in-one-file"]
    for name in trial_names():
        assert Registry().get(name).name == name


@pytest.mark.parametrize(
    "name",
    [
        "parts",
        "in-a-folder-parts",
        "in-a-folder/parts",
        "shared",
        "-shared",
        "shared-file",
        "-shared-file",
        "no-package",
        "hidden",
        ".hidden",
        "-hidden",
        "-pycache-",
        "--init--",
    ],
)
def test_shared_modules_and_parts_of_a_pass_are_no_passes(trial: Path, name: str):
    assert Registry().find(f"trial-{name}") is None


@pytest.mark.parametrize("file", ["pipeline.py", "pipeline/__init__.py"])
def test_pipelines_are_in_the_module_or_package_pipeline(trial: Path, file: str):
    assert Registry().find("trial-both-pipeline") is None
    (trial / file).parent.mkdir(exist_ok=True)
    (trial / file).write_text(PIPELINE)
    importlib.invalidate_caches()
    assert trial_names() == ["trial-both-pipeline", "trial-in-a-folder", "trial-in-one-file"]
    assert Registry().get("trial-both-pipeline").__doc__ == "Trial."


def test_a_user_may_not_take_the_name_of_a_pass_in_a_package(trial: Path, tmp_path: Path):
    path = tmp_path / "user.py"
    path.write_text(PASS.format(name="Mine", flag="in-a-folder"))
    with pytest.raises(PassLoadError, match=r"exists already, in .*/in_a_folder/__init__\.py; ch"):
        Registry().load(path)


def test_underscores_in_a_name_stand_for_dashes():
    registry = Registry()
    found = registry.find("sdy_lift_inlined_meshes")
    assert found is registry.get("sdy-lift-inlined-meshes")


@pytest.mark.parametrize(
    "name", ["", "sdy", "sdy-", "sdy-pipeline", "sdy-__init__", "sdy-../x", "sdy-a/b", "x-y", "cse"]
)
def test_an_unknown_name_finds_no_pass(name: str):
    assert Registry().find(name) is None


def test_unknown_names_get_a_suggestion():
    with pytest.raises(
        PipelineError, match="unknown pass 'sdy-lift-meshes'; did you mean 'sdy-lift"
    ):
        Registry().get("sdy-lift-meshes")
    with pytest.raises(
        PipelineError, match="unknown pass 'canonicalise'; did you mean 'canonicalize'"
    ):
        Registry().get("canonicalise")
    with pytest.raises(PipelineError, match="unknown pass 'zzz'; --list-passes lists them"):
        Registry().get("zzz")


def test_our_names_and_those_of_mlir_differ():
    assert not set(Registry().names()) & UPSTREAM_PASSES.keys()


def test_a_loaded_pass_is_known_to_its_registry_only(tmp_path: Path):
    path = tmp_path / "user.py"
    path.write_text(GOOD)
    registry = Registry()
    assert registry.load(path) == ["mine"]
    assert "mine" in registry.names()
    assert registry.get("mine").__doc__ == "Mine."
    assert Registry().find("mine") is None


def test_a_file_may_define_several_passes_and_pipelines(load):
    names = load(
        GOOD
        + """
from sdykit.core import FunctionPass, Pipeline

class Other(FunctionPass):
    name = "other-pass"
    def run(self, func): pass

class Both(Pipeline):
    name = "both"
    def passes(self): return ["mine", "other-pass"]

class Base(ModulePass):
    def helper(self): pass
"""
    )
    assert names == ["mine", "other-pass", "both"]


def test_files_of_one_name_do_not_mix(tmp_path: Path):
    registry = Registry()
    for directory, option in (("a", "first"), ("b", "second")):
        (tmp_path / directory).mkdir()
        path = tmp_path / directory / "user.py"
        path.write_text(f'''
from __future__ import annotations
from dataclasses import dataclass
from typing import Literal
from sdykit.core import ModulePass

Kind = Literal["{option}"]

@dataclass(frozen=True)
class Mine(ModulePass):
    name = "mine-{directory}"
    kind: Kind = "{option}"
    def run(self, module): pass
''')
        registry.load(path)
    assert option_specs(registry.get("mine-a"))[0].choices == ("first",)
    assert option_specs(registry.get("mine-b"))[0].choices == ("second",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "user.py: defines no pass and no sharding rule: expected a subclass of ModulePass or"),
        ("from sdykit.core import ModulePass", "defines no pass and no sharding rule"),
        ("x = (", "user.py:1:5: '(' was never closed"),
        ("\n1 / 0\n", "user.py:2: ZeroDivisionError: division by zero"),
        ("import no_such_module", "user.py:1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "user.py:1: SystemExit: 3"),
        (GOOD.replace('"mine"', "5"), "the name of Mine is 5; expected lower-case words"),
        (GOOD.replace('"mine"', '"my_pass"'), "the name of Mine is 'my_pass'; expected lower-case"),
        (
            GOOD.replace('"mine"', '"cse"'),
            "pass 'cse' exists already, in jaxlib, in C++; choose another name",
        ),
        (
            GOOD.replace('"mine"', '"sdy-lift-inlined-meshes"'),
            "sdy/lift_inlined_meshes.py; choose another name",
        ),
        (
            GOOD + GOOD.replace("Mine", "Other"),
            "user.py: Mine and Other both have the name 'mine'; give each pass its own",
        ),
        (
            GOOD + "class Other(Mine):\n    pass\n",
            "user.py: Mine and Other both have the name 'mine'; give each pass its own",
        ),
        (
            GOOD + GOOD.replace('"mine"', '"other"'),
            "user.py:11: class Mine is defined already, at line 4; choose another name",
        ),
        (GOOD.replace("def run", "def walk"), "Mine does not define run()"),
        (GOOD.replace('name =', 'size: int = 1\n    name ='), "the class lacks @dataclass(frozen=True)"),
        (GOOD.replace("class", "from dataclasses import dataclass\n@dataclass\nclass"), "TypeError"),
    ],
)  # fmt: skip
def test_a_file_that_defines_no_valid_pass_is_an_error(load, text: str, message: str):
    with pytest.raises(PassLoadError) as raised:
        load(text)
    assert message in str(raised.value)


def test_a_class_with_two_names_is_registered_once(load):
    assert load(GOOD + "Alias = Mine\n") == ["mine"]


def test_a_second_file_may_not_take_the_name_of_a_pass(tmp_path: Path):
    registry = Registry()
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(GOOD)
    registry.load(tmp_path / "a.py")
    with pytest.raises(PassLoadError) as raised:
        registry.load(tmp_path / "b.py")
    assert str(raised.value) == (
        f"{tmp_path}/b.py: pass 'mine' exists already, in {tmp_path}/a.py; choose another name"
    )
    assert registry.names().count("mine") == 1


def test_a_path_that_is_no_python_file_is_an_error(load, tmp_path: Path):
    with pytest.raises(PassLoadError, match="no such pass file"):
        Registry().load(tmp_path / "none.py")
    with pytest.raises(PassLoadError, match="no such pass file"):
        Registry().load(tmp_path)
    with pytest.raises(PassLoadError, match="not a Python file"):
        load(GOOD, "user.txt")


def test_pipelines_are_found_in_pipeline_files():
    pipelines = [n for n in Registry().names() if issubclass(Registry().get(n), Pipeline)]
    assert all(name.endswith("-pipeline") for name in pipelines)
