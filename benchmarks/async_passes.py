"""Time chained adds through `-async-wrap` and `-async-schedule`, at n and at 4n operations.

    python benchmarks/async_passes.py            # 25,000 and 100,000 over HLO
    python benchmarks/async_passes.py -n 2000    # 2,000 and 8,000
    python benchmarks/async_passes.py --mlir -n 1000

Each step is timed in processor time, so that other work on the machine counts less. A linear step
takes four times as long for four times the operations; the ratio is shown. Over MLIR the verifier
of `mhlo.async_start` in jaxlib looks up each function among all others, which is quadratic
whatever the passes do; it has a row of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from report import Cells, Table, arguments, figure, publish

from sdykit import hlo
from sdykit.core.run import cyclic_gc_paused, verify
from sdykit.hlo.verify import check
from sdykit.mlir import ModuleOp, ir, make_context
from sdykit.passes.async_hlo.schedule import SchedulePass
from sdykit.passes.async_hlo.wrap import WrapPass

_Steps = dict[str, float]


def hlo_text(count: int) -> str:
    """Return a program of `count` adds, each of which uses the previous one."""
    adds = [
        f"  %a.{at} = f32[8]{{0}} add(%{f'a.{at - 1}' if at else 'p'}, %p)\n" for at in range(count)
    ]
    body = "".join(adds)
    return f"HloModule m\n\nENTRY %main (p: f32[8]) -> f32[8] {{\n  %p = f32[8]{{0}} parameter(0)\n{body}}}\n"


def mlir_text(count: int) -> str:
    """Return the same program as MLIR."""
    adds = [
        f"  %a{at} = stablehlo.add %{f'a{at - 1}' if at else 'p'}, %p : tensor<8xf32>\n"
        for at in range(count)
    ]
    head = "func.func @main(%p: tensor<8xf32>) -> tensor<8xf32> {\n"
    return f"{head}{''.join(adds)}  return %a{count - 1} : tensor<8xf32>\n}}\n"


def over_hlo(count: int) -> _Steps:
    """Time the steps over HLO text."""
    text, steps = hlo_text(count), _Steps()
    with cyclic_gc_paused():
        module = _timed(steps, "read", lambda: hlo.read(text))
        _timed(steps, "async-wrap", lambda: WrapPass(ops=("add",)).run_hlo(module))
        _timed(steps, "async-schedule", lambda: SchedulePass().run_hlo(module))
        _timed(steps, "verify", lambda: check(module))
        _timed(steps, "print", lambda: hlo.to_text(module))
    return steps


def over_mlir(count: int) -> _Steps:
    """Time the steps over MLIR."""
    text, steps = mlir_text(count), _Steps()
    with make_context(), cyclic_gc_paused():
        module = _timed(steps, "read", lambda: ir.Module.parse(text))
        root: Any = module.operation.opview
        assert isinstance(root, ModuleOp)
        _timed(steps, "async-wrap", lambda: WrapPass(ops=("stablehlo.add",)).run(root))
        _timed(steps, "async-schedule", lambda: SchedulePass().run(root))
        _timed(steps, "verify (jaxlib)", lambda: verify(module.operation))
        _timed(steps, "print", lambda: module.operation.get_asm(assume_verified=True))
    return steps


def _timed(steps: _Steps, name: str, call: Callable[[], Any]) -> Any:
    started = time.process_time()
    result = call()
    steps[name] = time.process_time() - started
    return result


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__, quick="a tenth of the operations")
    parser.add_argument("-n", type=int, default=25_000, help="operations of the smaller program")
    parser.add_argument("--mlir", action="store_true", help="over MLIR instead of HLO text")
    args = parser.parse_args()
    measure = over_mlir if args.mlir else over_hlo
    count = max(1, args.n // 10 if args.quick else args.n)
    measure(max(1, count // 10))  # To warm up.
    small, large = measure(count), measure(4 * count)
    small["all"], large["all"] = sum(small.values()), sum(large.values())
    rows: list[Cells] = []
    for name, before in small.items():
        ratio = large[name] / before if before else 0.0
        times = figure(before, ".2f"), figure(large[name], ".2f")
        rows.append([name, *times, figure(ratio, ".1f")])
    heads = ["step", f"{count:,}", f"{4 * count:,}", "ratio"]
    title = f"Chained adds of {'MLIR' if args.mlir else 'HLO'}, seconds of the processor"
    publish("async_passes.py", [Table(title, heads, rows)], args)


if __name__ == "__main__":
    main()
