"""A function in a user's file, and the arguments that it is lowered with."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import math
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh

from sdykit.bridge.errors import BridgeError
from sdykit.errors import SdykitError
from sdykit.sparsecore.errors import suggestion

ARGUMENTS = "example_arguments"
"""The function of a file that returns arguments."""

_MAX_SIZE = 2**63 - 1
_MAX_DEVICES = 2**31 - 1
"""What MLIR and XLA count elements and devices with: int64 and int32."""
_SHAPE = re.compile(r"([a-z]+\d+[a-z0-9_]*|bool)\[((?:\d+(?:,\d+)*)?)\]")
_NAMES = {"f": "float", "bf": "bfloat", "s": "int", "i": "int", "u": "uint"}


def read_file(path: str) -> ModuleType:
    """Return the module that a Python file is, as if it were run from its folder.

    Raises:
        BridgeError: there is no such file, or it fails; the text has the line.
    """
    file = Path(path)
    if not file.is_file():
        raise BridgeError(f"'{path}' is no file; expected FILE:FUNCTION")
    name = _name_of(file.resolve())
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise BridgeError(f"'{path}' is no Python file; expected a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    # Classes of the file find their module by its name, while it runs and after.
    sys.modules[name] = module
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return at_lines_of(path, lambda: _executed(spec.loader, module))


def _name_of(file: Path) -> str:
    """Return a name for the module of a file: its own, unless another module has it."""
    known = sys.modules.get(file.stem)
    if known is None or _is_at(known, file):
        return file.stem
    return f"{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"


def _is_at(module: ModuleType, file: Path) -> bool:
    path = getattr(module, "__file__", None)
    return path is not None and Path(path).resolve() == file


def _executed(loader: Any, module: ModuleType) -> ModuleType:
    loader.exec_module(module)
    return module


def at_lines_of(path: str, work: Callable[[], Any]) -> Any:
    """Return what a function of a user returns; its exceptions become errors with the line in the file.

    Raises:
        BridgeError: it fails.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):  # What it prints is no output of a command.
            return work()
    except SdykitError:
        raise
    except (Exception, SystemExit) as error:
        line = error.lineno if isinstance(error, SyntaxError) else _line_in(path, error)
        where = f"{path}:{line}" if line else path
        raise BridgeError(f"{where}: {type(error).__name__}: {error}") from None


def _line_in(path: str, error: BaseException | None) -> int | None:
    """Return the innermost line of a file that an error comes from, if there is one."""
    file = Path(path).resolve()
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [each.lineno for each in frames if Path(each.filename).resolve() == file]
        if lines:
            return lines[-1]
        error = error.__cause__  # Of an error in a lowering, JAX keeps the line there.
    return None


def function_of(module: ModuleType, name: str, path: str) -> Callable[..., Any]:
    """Return a function of a file.

    Raises:
        BridgeError: there is none of this name.
    """
    found = getattr(module, name, None)
    if callable(found):
        return found
    own = [
        each
        for each, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", module.__name__) == module.__name__
    ]
    if not own:
        raise BridgeError(f"{path}: there is no function {name!r}, and no other one")
    raise BridgeError(f"{path}: there is no function {name!r}; {suggestion(name, own)}")


def arguments_of(module: ModuleType, function: Callable[..., Any], path: str) -> Sequence[Any]:
    """Return the arguments that a file gives for a function.

    Raises:
        BridgeError: it gives none, and the function needs some.
    """
    given = getattr(module, ARGUMENTS, None)
    if given is not None:
        found = at_lines_of(path, given)
        return found if isinstance(found, (tuple, list)) else (found,)
    if not inspect.signature(function).parameters:
        return ()
    raise BridgeError(
        f"{path}: nothing says what the arguments are; expected --shapes, such as "
        f"--shapes='f32[32,16] s32[8]', or a function {ARGUMENTS}() in the file that returns them"
    )


def shapes_of(text: str) -> list[jax.ShapeDtypeStruct]:
    """Return what "f32[32,16] s32[8]" describes: dtypes are XLA's, or as `i32`; commas may separate.

    Raises:
        BridgeError: a shape or dtype is not understood.
    """
    left = _SHAPE.sub("", text).strip(" ,")
    if left or not text.strip():
        what = left.split()[0] if left else text
        raise BridgeError(f"--shapes: cannot read {what!r}; expected such as 'f32[32,16] s32[8]'")
    found = [
        ([int(each) for each in sizes.split(",") if each], _dtype(name))
        for name, sizes in _SHAPE.findall(text)
    ]
    for shape, _ in found:
        if max(*shape, math.prod(shape), 1) > _MAX_SIZE:
            raise BridgeError(f"--shapes: {shape} has more than {_MAX_SIZE} elements")
    return [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in found]


def _dtype(name: str) -> Any:
    letters = name.rstrip("0123456789")
    try:
        return jnp.dtype(_NAMES.get(letters, letters) + name[len(letters) :])
    except TypeError:
        raise BridgeError(
            f"--shapes: {name!r} is no dtype; expected such as f32, bf16, s32, s8 or bool"
        ) from None


def mesh_of(text: str) -> AbstractMesh:
    """Return what "data=4,model=2" describes: a mesh that needs no devices.

    Raises:
        BridgeError: it is not understood.
    """
    found = [each.strip().partition("=") for each in text.split(",")]
    if not all(name.isidentifier() and size.isdecimal() and int(size) for name, _, size in found):
        raise BridgeError(f"--mesh: found {text!r}; expected axes and sizes such as data=4,model=2")
    names, sizes = zip(*((name, int(size)) for name, _, size in found), strict=True)
    if math.prod(sizes) > _MAX_DEVICES:
        raise BridgeError(f"--mesh: {text!r} has more than {_MAX_DEVICES} devices")
    return AbstractMesh(sizes, names)
