"""Check what the sdist and the wheel in a directory hold: `check_dist.py dist`."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NATIVE = (
    "sdykit/bridge/_native.",
    "sdykit/sparsecore/_kernels.",
    "sdykit/sparsecore/_machine.",
)


def package_files() -> set[str]:
    """The package's files, as the wheel must hold them: all but C++ and leftovers."""
    package, passes = ROOT / "python/sdykit", ROOT / "passes"
    files = {f"sdykit/{path.relative_to(package)}" for path in package.rglob("*") if path.is_file()}
    files |= {f"sdykit/passes/{path.relative_to(passes)}" for path in passes.rglob("*.py")}
    return {name for name in files if "/native/" not in name and "__pycache__" not in name}


def check_wheel(path: Path) -> list[str]:
    """Say what is wrong with the wheel."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
        links = [info.filename for info in wheel.infolist() if info.external_attr >> 28 == 0o12]
    inside = {name for name in names if name.startswith("sdykit/")}
    native = {name for name in inside if name.startswith(NATIVE) and name.endswith(".so")}
    expected = package_files()
    problems = [f"misses {name}" for name in sorted(expected - inside)]
    problems += [f"should not hold {name}" for name in sorted(inside - expected - native)]
    problems += [f"holds a link: {name}" for name in links]
    if "sdykit.pth" not in names:
        problems.append("misses sdykit.pth")
    if len(native) != len(NATIVE):
        problems.append(f"needs {len(NATIVE)} native modules, has {sorted(native)}")
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        problems.append("misses the license")
    print(f"{path.name}: {len(names)} files, {path.stat().st_size / 1e6:.2f} MB")
    return problems


def check_sdist(path: Path) -> list[str]:
    """Say what is wrong with the sdist."""
    with tarfile.open(path) as sdist:
        members = sdist.getmembers()
    names = {member.name.partition("/")[2] for member in members}
    passes = {name for name in package_files() if name.startswith("sdykit/passes/")}
    expected = {f"python/{name}" for name in passes} | {
        "CMakeLists.txt",
        "LICENSE",
        "README.md",
        "lit_tests/lit.cfg.py",
        "pyproject.toml",
        "python/sdykit/bridge/native/module.cc",
        "python/sdykit/sparsecore/native/module.cc",
    }
    problems = [f"misses {name}" for name in sorted(expected - names)]
    problems += [f"holds a link: {member.name}" for member in members if member.issym()]
    print(f"{path.name}: {len(names)} files, {path.stat().st_size / 1e6:.2f} MB")
    return problems


def main() -> int:
    """Check the one sdist and the one wheel in the directory."""
    directory = Path(sys.argv[1])
    (wheel,), (sdist,) = directory.glob("*.whl"), directory.glob("*.tar.gz")
    problems = [f"{wheel.name} {text}" for text in check_wheel(wheel)]
    problems += [f"{sdist.name} {text}" for text in check_sdist(sdist)]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
