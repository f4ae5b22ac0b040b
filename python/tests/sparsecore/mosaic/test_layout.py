"""Places of a subcore's memory, and the error if there is too little."""

from __future__ import annotations

import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.layout import ALIGNMENT, check_capacity, lay_out
from support.mosaic.free_kernels import DMA, memref_type, module

VMEM = memref_type((100,), "f32", "vmem")
REGIONS = f"""
%a = memref.alloca() : {VMEM}
"tpu.region"() ({{
%b = memref.alloca() : {VMEM}
%s = tpu.sem_alloc : {DMA}
tpu.yield
}}) : () -> ()
"tpu.region"() ({{
%c = memref.alloca() : {memref_type((1000,), "f32", "vmem")}
"tpu.trace_start"() <{{level = 10 : i32, message = "ep_initialize_0"}}> : () -> ()
"tpu.region"() ({{
%d = memref.alloca() : {VMEM}
tpu.yield
}}) : () -> ()
tpu.yield
}}) : () -> ()
"""


def layout():
    text = module(REGIONS, f"%x: {memref_type((4,), 'f32')}, %v: {VMEM}", scratch=1)
    kernel = read_kernel(text, "gather")
    layouts = lay_out(kernel)
    places = list(layouts["kernel"].places.values())
    return kernel, layouts, places


def test_regions_that_are_not_open_together_share_bytes():
    _, layouts, places = layout()
    vmem = [(place.offset, place.bytes) for place in places if place.space == "vmem"]
    size = -(-400 // ALIGNMENT) * ALIGNMENT
    # Scratch, then %a, then %b and %c from the same byte on, then %d after %c.
    assert vmem == [
        (0, size),
        (size, size),
        (2 * size, size),
        (2 * size, 4032),
        (2 * size + 4032, size),
    ]
    assert layouts["kernel"].sizes["vmem"] == 3 * size + 4032


def test_what_is_open_together_does_not_overlap():
    _, _, places = layout()
    a, b, c, d = (
        set(range(place.offset, place.offset + place.bytes))
        for place in places
        if place.space == "vmem" and place.what != "scratch 0"
    )
    assert not a & b
    assert not a & c
    assert not c & d


def test_too_little_memory():
    kernel, layouts, _ = layout()
    check_capacity(kernel, layouts, "7x", 5376)
    with pytest.raises(SparseCoreError) as caught:
        check_capacity(kernel, layouts, "7x", 5375)
    assert str(caught.value) == (
        "kernel 'gather': the VMEM of a subcore would take 5376 bytes; 7x has 5375: "
        "scratch 0 (448), buffers at k.py:1 (448), pipeline buffers at k.py:8 (4032), "
        "buffers at k.py:11 (448)"
    )


@pytest.mark.parametrize(("element", "bytes_"), [("i4", 64), ("i8", 128), ("bf16", 256)])
def test_two_int4_elements_take_one_byte_of_the_capacity(element: str, bytes_: int):
    text = module("", f"%v: {memref_type((8, 16), element, 'vmem')}", scratch=1)
    kernel = read_kernel(text, "gather")
    layouts = lay_out(kernel)
    check_capacity(kernel, layouts, "7x", bytes_)
    with pytest.raises(SparseCoreError, match=rf"would take {bytes_} bytes; .* \({bytes_}\)$"):
        check_capacity(kernel, layouts, "7x", bytes_ - 1)
