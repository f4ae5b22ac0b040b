"""What the verifier of `mpmd` accepts, also where the descriptions ask for more."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sdykit.mlir import ir
from support.dialects.mpmd_texts import (
    M1,
    TENSOR,
    TOKEN,
    WITH_TOPOLOGY,
    assign,
    call,
    callee,
    fragment,
    fragment_call,
    in_memory,
    loop,
    main,
    named,
    on,
    private,
    reduce,
    split,
    transfer,
    unassign,
)

INNER = fragment().replace("%b", "%d").replace("(%a)", "(%b)")
ACCEPTED = {
    "fragment": main(fragment(), M1),
    "fragment, split": main(fragment(split()), split()),
    "fragment, another mesh's name in a sharding": main(fragment(split(name="q")), split(name="q")),
    "fragment, any shardings": main(
        fragment().replace('["f"]', '["f"], stage=-1, in_shardings=[<@m, [{"q"}]>]'), M1
    ),
    "fragment, any memory": main(fragment(in_memory("?")), in_memory("?")),
    "fragment, token": main(fragment(TOKEN, TOKEN, TOKEN), TOKEN),
    "fragment in a loop": main(loop(operand=M1, body=INNER), M1),
    "fragment, second mesh of a name": main(
        fragment(split()),
        split(),
        'attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m1" : <["y"=2]>>>}',
    ),
    "fragment without mesh tensors": main(
        'mpmd.fragment<mesh="none", origin=[]> () () { mpmd.return } : () -> ()', attributes=""
    ),
    "fragment_call": main(fragment_call(), M1, others=callee()),
    "transfer": main(transfer(), M1),
    "transfer, one mesh": main(transfer(M1, M1), M1),
    "transfer, host": main(transfer(in_memory("pinned_host"), M1), in_memory("pinned_host")),
    "transfer, device": main(transfer(M1, in_memory("device")), M1),
    "named_computation": main(named(), attributes=""),
    "named_computation, token": main(named(TOKEN, TOKEN), TOKEN),
    "for": main(loop("iterations = 6 : ui32, unroll_factor = 3 : ui32"), attributes=""),
    "for, signless index": main(loop(index="tensor<i32>")),
    "for, values from outside": main(loop(body=f"%s = stablehlo.add %a, %b : {TENSOR}")),
    "for, mesh tensors": main(loop(operand=M1, index=on(tensor="tensor<2xi64>")), M1),
    "assign": main(assign(on(rest=", sharding=<@mesh, [{?}, {}]>"))),
    "unassign": main(unassign(M1), M1),
    "reduce, one": main(reduce("none", 1)),
    "reduce, dynamic": main(reduce("add", 2, "tensor<?x8xf32>")),
    "call": main(call(), M1, others=private()),
    "call, too many operands": main(
        f"%c:2 = mpmd.call @p(%a, %a) : ({M1}, {M1}) -> ({M1}, {M1})", M1, others=private()
    ),
    "call, topology": main(call(), M1, others=private(WITH_TOPOLOGY)),
    "call in a loop": main(
        loop(operand=M1, body=call().replace("%a", "%b")), M1, others=private(WITH_TOPOLOGY)
    ),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_programs_that_the_reference_allows_verify(case: str, context: ir.Context) -> None:
    module = ir.Module.parse(ACCEPTED[case], context)
    assert f"mpmd.{case.partition(',')[0].partition(' ')[0]}" in str(module)
    assert str(ir.Module.parse(str(module), context)) == str(module)


def test_a_loop_without_operands_is_printed_and_not_read(context: ir.Context) -> None:
    loop_text = """"mpmd.for"() ({
      ^bb0(%i: tensor<ui32>):
        mpmd.return
      }) {iterations = 6 : ui32} : () -> ()"""
    module = ir.Module.parse(main(loop_text), context)
    assert "} : \n" in str(module)
    with pytest.raises(ir.MLIRError, match="expected non-function type"):
        ir.Module.parse(str(module), context)


def test_names_in_fragments_are_printed_as_they_are(context: ir.Context) -> None:
    text = main(fragment(), M1).replace('["f"]', r'["a\22b"]')
    module = ir.Module.parse(text, context)
    assert 'origin=["a"b"]' in str(module)
    with pytest.raises(ir.MLIRError):
        ir.Module.parse(str(module), context)


NO_MESH = """
func.func @g() attributes {mesh_shape = #sdy.mesh<["x"=2]>} { return }
func.func @main() attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  mpmd.fragment_call<mesh="m3", origin=[]> @g() : () -> ()
  return
}"""
PARSE = "ir.Module.parse(text, context)"
LOSE_REDUCTION = """
module = ir.Module.parse(text, context)
reduce = module.body.operations[0].regions[0].blocks[0].operations[0]
del reduce.attributes["reduction"]
module.operation.verify()
"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (NO_MESH, PARSE),
        (main(call(), M1), PARSE),
        (main(call(), M1, others="sdy.mesh @p = <[]>"), PARSE),
        (main(reduce("add", 1)), LOSE_REDUCTION),
    ],
    ids=["fragment_call, no mesh", "call, no callee", "call, no function", "reduce, no reduction"],
)
def test_programs_that_the_reference_warns_of_end_the_process(text: str, code: str) -> None:
    start = f"""
from sdykit.mlir import ir, make_context
context = make_context()
text = {text!r}
print("ready", flush=True)
"""
    result = subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, check=False
    )
    assert result.stdout == "ready\n"
    assert result.returncode < 0, result.stderr
