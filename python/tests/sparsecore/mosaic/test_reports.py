"""The texts of all reports, and that none changes when it travels as integers."""

import dataclasses

import pytest

from sdykit.sparsecore.mosaic.reports import (
    KINDS,
    NOBODY,
    Access,
    Action,
    BadCall,
    Deadlock,
    DependentIterations,
    End,
    FailedCheck,
    IndexOutOfBounds,
    Interrupted,
    KernelError,
    Names,
    NoMemory,
    NotAMultiple,
    OffsetOutOfBounds,
    OtherDevice,
    OutOfBounds,
    Race,
    Report,
    SemaphoreNotZero,
    SplitRows,
    UnderWay,
    UnknownAgent,
    Waiting,
    Waits,
    WriteToInput,
    decode,
)

NAMES = Names(
    "gather",
    agents=("vector subcore (0, 0)", "vector subcore (0, 15)", "scalar subcore 1"),
    places=("k.py:12", "k.py:15"),
    buffers=("array 0", "scratch 0"),
)

TEXTS = [
    (
        BadCall(agent=0, place=0),
        "vector subcore (0, 0): what was compiled for k.py:12 is wrong; "
        "please report this as a bug of sdykit",
    ),
    (
        OutOfBounds(
            agent=1, place=0, access=Access.SLICE, dimension=0, rank=2, first=16, end=17, size=16
        ),
        "vector subcore (0, 15): slice out of bounds at k.py:12: rows 16 to 17 of 16",
    ),
    (
        OutOfBounds(
            agent=1, place=0, access=Access.LOAD, dimension=1, rank=2, first=-1, end=15, size=64
        ),
        "vector subcore (0, 15): load out of bounds at k.py:12: columns -1 to 15 of 64",
    ),
    (
        OutOfBounds(
            agent=2, place=0, access=Access.STORE, dimension=0, rank=1, first=8, end=9, size=8
        ),
        "scalar subcore 1: store out of bounds at k.py:12: elements 8 to 9 of 8",
    ),
    (
        OutOfBounds(
            agent=1, place=0, access=Access.SLICE, dimension=0, rank=3, first=2, end=3, size=2
        ),
        "vector subcore (0, 15): slice out of bounds at k.py:12: dimension 0: 2 to 3 of 2",
    ),
    (
        IndexOutOfBounds(
            agent=0, place=1, access=Access.GATHER, lane=3, dimension=0, rank=1, index=16, size=16
        ),
        "vector subcore (0, 0): gather out of bounds at k.py:15: "
        "index 16 in lane 3 is not in [0, 16)",
    ),
    (
        IndexOutOfBounds(
            agent=0, place=1, access=Access.SCATTER, lane=0, dimension=1, rank=2, index=-2, size=8
        ),
        "vector subcore (0, 0): scatter out of bounds at k.py:15: "
        "index -2 of dimension 1 in lane 0 is not in [0, 8)",
    ),
    (
        OffsetOutOfBounds(agent=0, place=1, offset=4096, position=17, size=4096),
        "vector subcore (0, 0): indirect DMA started at k.py:15: "
        "offset 4096 at position 17 is not in [0, 4096)",
    ),
    (
        Deadlock(
            waiting=(
                Waiting(0, 0, Waits.SEMAPHORE, 64, 0),
                Waiting(1, 1, Waits.BARRIER, 16, 15),
                Waiting(2, 0, Waits.TRANSFER, 128, 64),
                Waiting(2, 1, Waits.LOOP, 0, 0, 1),
                Waiting(2, 0, Waits.LOOP, 0, 0),
                Waiting(3, NOBODY, Waits.NOTHING, 0, 0),
            )
        ),
        "deadlock: no subcore can go on:\n"
        "  vector subcore (0, 0) waits for 64 on a semaphore that has 0, at k.py:12\n"
        "  vector subcore (0, 15) waits at the barrier with 15 of 16 subcores, at k.py:15\n"
        "  scalar subcore 1 waits for 128 bytes of DMAs on a semaphore that has 64, at k.py:12; "
        "expected a DMA started on it, of as many bytes, for each wait\n"
        "  scalar subcore 1 repeats the loop at k.py:15, which waits for a change of scratch 0\n"
        "  scalar subcore 1 repeats the loop at k.py:12, whose condition stays true\n"
        "  a subcore is at its end",
    ),
    (
        Deadlock(
            waiting=(
                Waiting(0, 0, Waits.SEMAPHORE, 64, 0, 1),
                Waiting(1, 0, Waits.SEMAPHORE, 64, 0, 1),
                Waiting(2, 0, Waits.SEMAPHORE, 64, 0, 1),
            )
        ),
        "deadlock: no subcore can go on:\n"
        "  vector subcores (0, 0) to (0, 15) and scalar subcore 1 wait for 64 on a semaphore "
        "(scratch 0) that has 0, at k.py:12",
    ),
    (
        NoMemory(agent=NOBODY, place=NOBODY, stacks=4000),
        "there is no memory for the stacks of 4000 subcores; expected more memory, or a higher limit "
        "of it",
    ),
    (
        NoMemory(agent=0, place=1, stacks=0),
        "vector subcore (0, 0): the process has no memory left at k.py:15; expected more memory, or a "
        "higher limit of it; SDYKIT_PALLAS=fast needs less, since it checks no races",
    ),
    (
        SemaphoreNotZero(agent=0, place=0, end=End.KERNEL, count=64, started=1),
        "vector subcore (0, 0): a semaphore made at k.py:12 is 64 at the end of the kernel: "
        "a DMA started at k.py:15 was never waited for",
    ),
    (
        SemaphoreNotZero(agent=0, place=NOBODY, end=End.REGION, count=1, started=NOBODY),
        "vector subcore (0, 0): a semaphore is 1 at the end of the region that made it: "
        "it was signalled more than it was waited for",
    ),
    (
        SemaphoreNotZero(
            agent=0,
            place=NOBODY,
            end=End.KERNEL,
            count=1,
            started=NOBODY,
            signalled=1,
            memory=1,
        ),
        "vector subcore (0, 0): a semaphore (scratch 0) is 1 at the end of the kernel: "
        "it was signalled more than it was waited for, last at k.py:15",
    ),
    (
        UnknownAgent(agent=0, place=0, scalar=0, core=0, subcore=16, cores=2, subcores=16),
        "vector subcore (0, 0): no vector subcore (0, 16) at k.py:12: the kernel's mesh has 2 x 16",
    ),
    (
        UnknownAgent(agent=0, place=0, scalar=1, core=2, subcore=0, cores=2, subcores=0),
        "vector subcore (0, 0): no scalar subcore 2 at k.py:12: the kernel's mesh has 2",
    ),
    (
        FailedCheck(agent=0, place=0, message="sizes differ: ä"),
        "vector subcore (0, 0): check failed at k.py:12: sizes differ: ä",
    ),
    (
        NotAMultiple(agent=0, place=0, value=12, multiple=8),
        "vector subcore (0, 0): 12 at k.py:12 is not a multiple of 8",
    ),
    (
        Race(
            agent=1,
            place=1,
            action=Action.WRITE,
            other=0,
            other_place=0,
            other_action=Action.READ,
            buffer=0,
        ),
        "race: vector subcore (0, 15) writes array 0 at k.py:15, vector subcore (0, 0) reads the "
        "same bytes at k.py:12, and nothing orders the two; expected a plsc.subcore_barrier() "
        "between them",
    ),
    (
        Race(
            agent=2,
            place=1,
            action=Action.WRITE,
            other=0,
            other_place=0,
            other_action=Action.WRITE,
            buffer=0,
        ),
        "race: scalar subcore 1 writes array 0 at k.py:15, vector subcore (0, 0) writes the "
        "same bytes at k.py:12, and nothing orders the two; expected a pl.semaphore_signal after "
        "the one and a pl.semaphore_wait before the other, since a barrier is for the vector "
        "subcores of one SparseCore, or a place of its own for each",
    ),
    (
        UnderWay(
            agent=0,
            place=0,
            action=Action.READ,
            transfer=0,
            other=0,
            other_place=1,
            other_action=Action.WRITE,
            buffer=1,
        ),
        "race: vector subcore (0, 0) reads scratch 0 at k.py:12 while a DMA writes it, "
        "started at k.py:15; expected a wait for that DMA before this",
    ),
    (
        UnderWay(
            agent=0,
            place=0,
            action=Action.WRITE,
            transfer=1,
            other=0,
            other_place=1,
            other_action=Action.READ,
            buffer=1,
        ),
        "race: vector subcore (0, 0) starts a DMA at k.py:12 that writes scratch 0 while a DMA "
        "reads it, started at k.py:15; expected a wait for that DMA before this, or another buffer",
    ),
    (
        UnderWay(
            agent=0,
            place=0,
            action=Action.WRITE,
            transfer=1,
            other=1,
            other_place=1,
            other_action=Action.ADD,
            buffer=1,
        ),
        "race: vector subcore (0, 0) starts a DMA at k.py:12 that writes scratch 0 while a DMA of "
        "vector subcore (0, 15) adds to it, started at k.py:15; expected that vector subcore (0, 15) "
        "waits for it before the barrier or signal that orders the two",
    ),
    (
        DependentIterations(
            agent=0,
            place=1,
            action=Action.READ,
            iteration=5,
            other_place=0,
            other_action=Action.WRITE,
            other_iteration=4,
            buffer=1,
            loop=0,
        ),
        "race: vector subcore (0, 0): the iterations of the parallel_loop at k.py:12 depend on each "
        "other: iteration 5 reads scratch 0 at k.py:15 where iteration 4 writes it at k.py:12; "
        "expected elements of its own for each iteration, or pl.loop, whose iterations run in order",
    ),
    (
        Interrupted(agent=1, place=0),
        "vector subcore (0, 15) was interrupted at k.py:12",
    ),
    (
        WriteToInput(agent=0, place=0, buffer=0),
        "vector subcore (0, 0): a DMA started at k.py:12 writes array 0, "
        "an input that no result is aliased with",
    ),
    (
        OtherDevice(agent=0, place=1, device=3),
        "vector subcore (0, 0) reaches device 3 at k.py:15: DMAs and signals to other devices cannot "
        "run on a CPU yet",
    ),
    (
        SplitRows(agent=0, place=1, first=3, count=2, parts=2),
        "vector subcore (0, 0): rows 3 to 4 after a bitcast at k.py:15: they neither begin and end at "
        "multiples of 2, nor lie between two of them",
    ),
]


@pytest.mark.parametrize(("report", "text"), TEXTS, ids=lambda each: type(each).__name__)
def test_texts(report: Report, text: str) -> None:
    assert report.text(NAMES) == f"kernel 'gather': {text}"
    assert str(KernelError(report, NAMES)) == f"kernel 'gather': {text}"


@pytest.mark.parametrize("report", [report for report, _ in TEXTS])
def test_reports_travel_as_integers(report: Report) -> None:
    numbers = report.encode()
    assert numbers[:3] == [report.kind, report.agent, report.place]
    assert all(-(2**63) <= each < 2**63 for each in numbers)
    assert decode(numbers) == report


def test_every_kind_has_a_text() -> None:
    assert {type(report) for report, _ in TEXTS} == set(KINDS.values())


def test_unknown_numbers_are_no_crash() -> None:
    for report, _ in TEXTS:
        assert report.text(Names("k", (), ()))


def test_checks_without_a_message() -> None:
    report = FailedCheck(agent=0, place=0, message="")
    assert decode(report.encode()) == report
    assert dataclasses.replace(report, message="x").encode()[3:] == [1, ord("x")]


def test_bad_calls_have_any_numbers() -> None:
    assert decode([0]) == BadCall(agent=NOBODY, place=NOBODY)
    assert decode([0, 1, 2, 3, 4]) == BadCall(agent=1, place=2)
