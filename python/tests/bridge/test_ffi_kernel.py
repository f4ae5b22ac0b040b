"""From a spec to the native code: kinds, caches, the parts of a kernel."""

from __future__ import annotations

import logging
import re
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from llvmlite import binding as llvm

from sdykit.bridge import ffi
from sdykit.bridge._native import Argument, FigurePlan, Kernel, handlers, set_compiler
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.kernels import directory, specs
from sdykit.bridge.kernels.compile import compile_spec
from sdykit.bridge.kernels.directory import cache_bytes, cache_directory
from sdykit.sparsecore.codegen import ObjectCache, Program, compile_module
from support.bridge.ffi_programs import DOUBLE, run_python

X = np.arange(4, dtype=np.float32)


def call(spec: dict[str, Any]) -> jax.Array:
    return ffi.call(spec, [X], [jax.ShapeDtypeStruct(X.shape, X.dtype)])[0]


def test_a_user_can_register_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specs, "_compilers", dict(specs._compilers))
    made: list[str] = []

    def compiled(spec: specs.Spec, cache: ObjectCache | None) -> Program:
        made.append(spec["name"])
        assert set(spec) == {"version", "kind", "name"}
        return compile_module(DOUBLE.replace("@double", f"@{spec['name']}"), cache=cache)

    ffi.register_kind("named", compiled)
    spec = {"version": 1, "kind": "named", "name": "mine"}
    np.testing.assert_array_equal(call(spec), 2 * X)
    # Equal specs, of which the keys stand in another order, share a kernel.
    np.testing.assert_array_equal(jax.jit(lambda: call(dict(reversed(spec.items()))))(), 2 * X)
    assert made == ["mine"]
    ffi.register_kind("named", compiled)
    with pytest.raises(BridgeError, match=r"^register_kind: kind 'named' has another compiler"):
        ffi.register_kind("named", lambda *_: compiled(spec, None))


def test_an_exception_of_a_compiler_is_the_error_of_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(specs, "_compilers", dict(specs._compilers))
    texts = {
        "ours": (BridgeError("it is wrong"), "it is wrong"),
        "python": (KeyError("width"), "KeyError: 'width'"),
        "silent": (MemoryError(), "MemoryError"),
        "interrupt": (KeyboardInterrupt("now"), "KeyboardInterrupt: now"),
    }
    for kind, (error, text) in texts.items():

        def fails(
            _: specs.Spec, _cache: ObjectCache | None, error: BaseException = error
        ) -> Program:
            raise error

        ffi.register_kind(kind, fails)
        with pytest.raises(jax.errors.JaxRuntimeError) as raised:
            call({"version": 1, "kind": kind})
        # JAX may say in further lines that it shortened the traceback.
        assert str(raised.value).splitlines()[0] == f"INVALID_ARGUMENT: {text}"


def test_a_compiler_that_returns_no_kernel_is_an_error() -> None:
    set_compiler(lambda _: "no kernel")  # pyright: ignore[reportArgumentType]
    try:
        with pytest.raises(jax.errors.JaxRuntimeError) as raised:
            call({"version": 1, "kind": "tile", "program": "unseen before"})
    finally:
        set_compiler(compile_spec)
    assert str(raised.value) == (
        "INVALID_ARGUMENT: the compiler of kernels returned 'no kernel'; expected a Kernel"
    )


def test_a_handler_without_a_compiler_is_an_error() -> None:
    program = """
import jax
from sdykit.bridge import _native
jax.ffi.register_ffi_target("sdykit_sparsecore", _native.handlers(), platform="cpu")
x = jax.numpy.ones(4)
try:
    jax.jit(lambda x: jax.ffi.ffi_call("sdykit_sparsecore", x)(x, spec="{}"))(x)
except jax.errors.JaxRuntimeError as error:
    print(error)
"""
    assert run_python(program) == (
        "INVALID_ARGUMENT: no compiler of kernels is set; import sdykit.bridge.ffi\n"
    )


def test_the_import_loads_no_compiler() -> None:
    program = """
import sys
import sdykit.bridge.ffi
import jax
print([name for name in ("llvmlite",) if name in sys.modules])
print(jax._src.xla_bridge._backends)
"""
    assert run_python(program) == "[]\n{}\n"


@pytest.mark.parametrize(
    ("own", "xdg", "expected"),
    [
        ("/own", "/xdg", "/own/objects"),
        ("own", None, f"{Path.cwd()}/own/objects"),
        ("", "/xdg", "/xdg/sdykit/objects"),
        (None, "/xdg", "/xdg/sdykit/objects"),
        (None, "relative", "/home/me/.cache/sdykit/objects"),
        (None, "", "/home/me/.cache/sdykit/objects"),
        (None, None, "/home/me/.cache/sdykit/objects"),
    ],
)
def test_the_cache_directory_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, own: str | None, xdg: str | None, expected: str
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in [("SDYKIT_CACHE_DIR", own), ("XDG_CACHE_HOME", xdg)]:
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert str(cache_directory()) == expected


@pytest.mark.parametrize(
    ("text", "size"),
    [("", 1 << 30), ("0", 0), ("4096", 4096), ("64K", 1 << 16), ("5M", 5 << 20), ("2G", 2 << 30)],
)
def test_the_size_of_the_cache_has_units(
    monkeypatch: pytest.MonkeyPatch, text: str, size: int
) -> None:
    monkeypatch.setenv("SDYKIT_CACHE_SIZE", text)
    assert cache_bytes() == size


@pytest.mark.parametrize("text", ["-1", "1.5G", "2 G", "10MB", "all"])
def test_a_bad_size_of_the_cache_is_an_error(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SDYKIT_CACHE_SIZE", text)
    with pytest.raises(BridgeError, match=rf"^SDYKIT_CACHE_SIZE is '{text}'; expected bytes, or"):
        cache_bytes()


def test_without_a_home_directory_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("SDYKIT_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    directory._warn_of_no_home.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert [cache_directory(), cache_directory()] == [None, None]
    (record,) = caplog.records
    assert record.getMessage().startswith("there is no home directory to keep compiled programs in")


def test_a_cache_directory_that_cannot_be_written_is_no_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SDYKIT_CACHE_DIR", str(tmp_path / "file"))
    text = DOUBLE.replace("@double", "@not_kept")
    np.testing.assert_array_equal(call({"version": 1, "kind": "tile", "program": text}), 2 * X)


def test_arguments_are_shown_and_checked() -> None:
    assert repr(Argument("x", "bf16", [2, -1])) == "x: bfloat16[2,?]"
    with pytest.raises(
        ValueError, match=r"^unknown element type 'f4'; expected one of i1, i8, i16, "
    ):
        Argument("x", "f4", [])
    with pytest.raises(ValueError, match=r"^alignment is less than 1; expected a number of bytes$"):
        Argument("x", "f32", [], alignment=0)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"phases": [(0, 0)]}, "a phase has no machine code; expected two addresses"),
        ({"status": 2}, "status is argument 2; expected a number below 2, the number of arguments"),
        ({"status": 0}, "the status is float32[4]; expected int64[8]"),
        (
            {"counters": 2},
            "counters are argument 2; expected a number below 2, the number of arguments",
        ),
        ({"counters": 0}, "the counters are float32[4]; expected int64 of two static sizes"),
        (
            {"aliases": [(2, 0)]},
            "operand 2 and result 0 cannot share a buffer: there are only 2 arrays",
        ),
        (
            {"aliases": [(0, 2**40)]},
            "operand 0 and result 1099511627776 cannot share a buffer: there are only 2 arrays",
        ),
        ({"aliases": [(0, 0), (0, 1)]}, "operand 0 aliases two results"),
        ({"aliases": [(0, 0), (1, 0)]}, "result 0 aliases two operands"),
    ],
)
def test_parts_of_a_kernel_that_do_not_fit_are_errors(parts: dict[str, Any], text: str) -> None:
    usual: dict[str, Any] = {
        "phases": [],
        "aliases": [],
        "status": None,
        "messages": [],
        "scratch_bytes": 0,
        "serial_bytes": 0,
    }
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        Kernel("k", arguments=[Argument("", "f32", [4])] * 2, **{**usual, **parts})


ADDRESSES = """
define i64 @size(ptr %dims) { ret i64 3 }
define void @run(ptr %buffers, ptr %dims, i64 %begin, i64 %end, ptr %scratch) {
  %slot = getelementptr ptr, ptr %buffers, i64 1
  %y = load ptr, ptr %slot
  %address = ptrtoint ptr %scratch to i64
  %rest = and i64 %address, 63
  %one = add i64 %rest, 1
  %value = sitofp i64 %one to float
  store float %value, ptr %y
  %last = getelementptr i8, ptr %scratch, i64 SCRATCH
  store i8 1, ptr %last
  ret void
}
"""


@pytest.fixture(scope="module")
def jit() -> llvm.LLJIT:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.create_lljit_compiler()


@pytest.mark.parametrize("scratch", [1, 64, 100, 1 << 20])
@pytest.mark.parametrize("serial", [0, 1 << 40])
def test_scratch_memory_is_aligned_and_writable(jit: llvm.LLJIT, scratch: int, serial: int) -> None:
    text = ADDRESSES.replace("SCRATCH", str(scratch - 1))
    builder = llvm.JITLibraryBuilder().add_ir(text).export_symbol("run").export_symbol("size")
    library = builder.link(jit, f"scratch_{scratch}_{serial}")
    arguments = [Argument("", "f32", [1], work=1)] * 2
    kernel = Kernel(
        "k",
        [(library["run"], library["size"])],
        arguments,
        aliases=[],
        status=None,
        messages=[],
        scratch_bytes=scratch,
        serial_bytes=serial,
    )
    set_compiler(lambda _: kernel)
    try:
        run = jax.jit(lambda x: jax.ffi.ffi_call(ffi.TARGET, x)(x, spec=str((scratch, serial))))
        # The program writes 1 plus what its scratch memory lacks in alignment.
        assert run(X[:1]).item() == 1
    finally:
        set_compiler(compile_spec)


def test_too_much_scratch_is_an_error() -> None:
    name = "enormous"
    text = f"""
    func.func @{name}(%x: memref<4xf32>, %y: memref<4xf32>) attributes {{sparsecore.entry,
        sparsecore.serial_bytes = 0 : i64}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.parallel (%i) = (%c0) to (%c4) step (%c1) {{
        %a = memref.alloc() : memref<{1 << 46}xf32>
        %v = memref.load %x[%i] : memref<4xf32>
        memref.store %v, %a[%i] : memref<{1 << 46}xf32>
        %w = memref.load %a[%i] : memref<{1 << 46}xf32>
        memref.store %w, %y[%i] : memref<4xf32>
      }}
      return
    }}"""
    with pytest.raises(jax.errors.JaxRuntimeError) as raised:
        call({"version": 1, "kind": "tile", "program": text})
    assert (
        str(raised.value)
        .splitlines()[0]
        .endswith(
            f"@{name}: there is no memory for {1 << 48} bytes of scratch; expected a smaller program, or "
            "more memory"
        )
    )


MEMORY_ENDS = """
import resource
import jax
import numpy as np
from sdykit.bridge import ffi
TEXT = '''
func.func @large(%x: memref<?xf32>, %y: memref<?xf32>) attributes {sparsecore.entry,
    sparsecore.serial_bytes = SERIAL : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<268435456xf32>
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %a[%i] : memref<268435456xf32>
    %w = memref.load %a[%i] : memref<268435456xf32>
    memref.store %w, %y[%i] : memref<?xf32>
  }
  return
}'''
x = jax.numpy.arange(64, dtype=np.float32)
for serial in ("0", str(1 << 40)):
    text = TEXT.replace("SERIAL", serial)
    run = jax.jit(lambda x, text=text: ffi.call(text, [x], [x])[0]).lower(x).compile()
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    # A program takes 1 GiB for each thread.
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29), before[1]))
    np.testing.assert_array_equal(run(x), x)
    resource.setrlimit(resource.RLIMIT_AS, before)
print("right")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_a_program_that_is_compiled_has_memory_for_scratch() -> None:
    assert run_python(MEMORY_ENDS) == "right\n"


def test_there_are_handlers_of_two_stages() -> None:
    assert set(handlers()) == {"instantiate", "execute"}


def test_recorded_operands_are_kept_of_each_run_without_an_error() -> None:
    small = np.arange(3, dtype=np.int32)
    many = np.arange(2**18, dtype=np.float32)  # several threads
    for x in (X, many):
        text = ffi.spec_text(DOUBLE, {"arrays": (3, 1), "recorded": 2})
        before = compile_spec(text)
        before.forget_counts()
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        for _ in range(2):
            (found,) = ffi.call(DOUBLE, [x], [shape], recorded=[x, small])
            np.testing.assert_array_equal(found, 2 * x)
        records = before.take_records()
        assert [each.device for each in records] == [0, 0]
        for record in records:
            assert record.arrays() == [x.tobytes(), small.tobytes()]
        assert before.take_records() == []


@pytest.mark.parametrize("recorded", [-1, 3, True, "1"])
def test_a_wrong_number_of_recorded_operands_is_an_error(recorded: Any) -> None:
    fields = {"arrays": [2, 1], "recorded": recorded}
    with pytest.raises(BridgeError) as raised:
        specs.split_spec(fields)
    assert str(raised.value) == (
        f"spec: recorded is {recorded}; expected how many of 2 operands are recorded"
    )


PLAN = {
    "devices": 1,
    "cores": 2,
    "samples_per_core": 3,
    "tiles": 16,
    "pointers": 8,
    "minibatches": False,
    "is_counted": False,
    "words": None,
    "parts": None,
}
"""A plan of the figures of a lookup."""


@pytest.mark.parametrize("change", [{"tiles": 0}, {"pointers": 1}, {"words": 0}])
def test_a_wrong_plan_of_figures_is_an_error(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a plan of figures is wrong; expected positive numbers, "):
        FigurePlan(**(PLAN | change))


def test_figures_that_do_not_fit_the_call_are_errors() -> None:
    with pytest.raises(BridgeError, match=r"^spec: figures is 3; expected an object$"):
        specs.split_spec({"arrays": [2, 1], "figures": 3})
    shape = jax.ShapeDtypeStruct(X.shape, X.dtype)
    for plan, text in (
        (PLAN, "2 operands are recorded; expected 3, from which figures are computed"),
        (
            PLAN | {"words": "words", "parts": "parts"},
            "figures are computed from argument 'words'; expected one of ",
        ),
    ):
        with pytest.raises(jax.errors.JaxRuntimeError, match=text):
            ffi.call(DOUBLE, [X], [shape], recorded=[X, X], figures=plan)
