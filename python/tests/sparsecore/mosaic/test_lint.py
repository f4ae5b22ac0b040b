"""What a chip's compiler may refuse is found, with its line, and nothing else is."""

import pytest

from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.lint import Finding, lint
from sdykit.sparsecore.mosaic.spec import MosaicChip

CHIP = MosaicChip(name="7x", cores=2, subcores=16, lanes=16, vmem_bytes=524288, granule=32)
ARRAY = "memref<1024xi32, #tpu.memory_space<hbm>>"
PART = "memref<{}xi32, #tpu.memory_space<hbm>>"
VMEM = "memref<{}xi32, #tpu.memory_space<vmem>>"
SEMAPHORE = "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>"


def findings(body: str, *, needs_layout_passes: bool = False, bounds: str = "2, 16"):
    text = f"""
    func.func @f(%core: i32, %subcore: i32, %x: {ARRAY}, %one: {PART.format(1)},
        %v: {VMEM.format(16)}, %s: {SEMAPHORE}) attributes {{
        iteration_bounds = array<i64: {bounds}>, scratch_operands = 2 : i64,
        tpu.core_type = #tpu.core_type<sc_vector_subcore>}} {{
      {body}
      return
    }}
    #at = loc("k.py":12:3)"""
    kernel = read_kernel(text, "f")
    return [*lint(kernel, CHIP, needs_layout_passes=needs_layout_passes)]


def constants(*values: int) -> str:
    return "\n".join(f"%c{value} = arith.constant {value} : i32" for value in values)


def cut(offset: str, size: int = 64) -> str:
    return (
        f"%part = tpu.memref_slice %x[{offset}] : {ARRAY} -> {PART.format(size)} loc(#at)\n"
        f"tpu.enqueue_dma source(%part : {PART.format(size)}) target(%w : {VMEM.format(size)}) "
        f"target_semaphore(%s : {SEMAPHORE})"
    )


def sliced(index: str, offset: str, size: int = 64, **options):
    """Return the findings of a slice of `size` elements at an offset computed from constants."""
    buffer = f"%w = memref.alloca() : {VMEM.format(size)}\n"
    known = constants(0, 1, 2, 3, 4, 8, 12, 100, 1024)
    return findings(buffer + known + index + cut(offset, size), **options)


def begins(what: str) -> list[Finding]:
    return [
        Finding(
            "k.py:12",
            f"a slice of a 1-D array in HBM {what}; a chip's compiler expects a multiple of 8 "
            "elements: pad the parts of the array",
        )
    ]


def test_constant_offsets():
    assert sliced("", "%c8") == sliced("", "%c0") == sliced("", "%c1024") == []
    assert sliced("", "%c12") == begins("begins at a multiple of 12")


def test_offsets_of_subcores():
    by = "%i = arith.muli %subcore, %{} : i32\n".format
    assert sliced(by("c8"), "%i") == []
    assert sliced(by("c4"), "%i") == begins("begins at a multiple of 4")
    assert sliced("", "%subcore") == begins("may begin at any element")
    assert sliced("", "%subcore", bounds="2, 1") == []
    assert sliced(by("c8") + "%j = arith.addi %i, %c100 : i32\n", "%j") == begins(
        "begins at a multiple of 4"
    )


def test_offsets_of_loops():
    def loop(step: str) -> list[Finding]:
        head = f"%w = memref.alloca() : {VMEM.format(64)}\n{constants(0, 4, 8, 1024)}"
        return findings(f"{head}\nscf.for %i = %c0 to %c1024 step {step} : i32 {{\n{cut('%i')}\n}}")

    assert loop("%c8") == []
    assert loop("%c4") == begins("begins at a multiple of 4")


def test_arithmetic_of_offsets():
    lines = {
        "%i = arith.divsi %c1024, %c4 : i32": [],
        "%i = arith.remsi %subcore, %c2 : i32": begins("may begin at any element"),
        "%h = arith.muli %subcore, %c8 : i32\n%i = arith.maxsi %h, %c0 : i32": [],
        "%b = arith.cmpi slt, %core, %c1 : i32\n%i = arith.select %b, %c8, %c4 : i32": begins(
            "begins at a multiple of 4"
        ),
        "%h = arith.divsi %subcore, %c2 : i32\n%i = arith.muli %h, %c8 : i32": [],
    }
    for text, expected in lines.items():
        assert sliced(text + "\n", "%i") == expected, text


def test_offsets_that_the_kernel_reads_may_be_aligned():
    read = """
    %m = memref.alloca() : memref<4xi32, #tpu.memory_space<smem>>
    %at = arith.constant 0 : index
    %r = memref.load %m[%at] : memref<4xi32, #tpu.memory_space<smem>>
    """
    assert sliced(read, "%r") == []
    assert sliced(read + "%i = tpu.assume_multiple %r, 4 : i32\n", "%i") == []


def test_sizes():
    (found,) = sliced("", "%c0", 12)
    assert found == Finding(
        "k.py:12",
        "a slice of a 1-D array in HBM has 12 elements; a chip's compiler expects a multiple of 8: "
        "copy more, and use a part of it",
    )
    assert sliced("", "%c0", 16) == []


def test_small_transfers():
    of_size, of_bytes = sliced("", "%c0", 4)
    assert "has 4 elements" in of_size.text
    assert of_bytes.text == (
        "a transfer of 16 bytes; 7x moves at least 32 of HBM at once: copy more, and use a part of it"
    )


def test_a_small_array_can_only_be_copied_whole():
    body = f"""
    %w = memref.alloca() : {VMEM.format(1)}
    tpu.enqueue_dma source(%one : {PART.format(1)}) target(%w : {VMEM.format(1)})
        target_semaphore(%s : {SEMAPHORE})"""
    assert findings(body) == []


@pytest.mark.parametrize("needs_layout_passes", [False, True])
def test_scatters(needs_layout_passes):
    body = f"""
    %i = tpu.iota {{dimensions = array<i32: 0>}} : vector<16xi32>
    tpu.vector_store_idx %v[%i], %i : {VMEM.format(16)}[vector<16xi32>], vector<16xi32>, loc(#at)"""
    expected = Finding(
        "k.py:12",
        "a scatter into VMEM in a kernel with layout passes, which a chip's compiler may refuse; "
        "expected compiler_params=pltpu.CompilerParams(needs_layout_passes=False)",
    )
    found = findings(body, needs_layout_passes=needs_layout_passes)
    assert found == ([expected] if needs_layout_passes else [])


def test_a_line_is_named_once():
    twice = f"%w = memref.alloca() : {VMEM.format(64)}\n{constants(12)}\n" + cut("%c12")
    again = cut("%c12").replace("%part", "%again")
    assert findings(f"{twice}\n{again}") == begins("begins at a multiple of 12")
