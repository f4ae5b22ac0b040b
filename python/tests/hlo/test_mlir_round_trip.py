"""Programs translated to MLIR and back are the same as before."""

from __future__ import annotations

from hypothesis import HealthCheck, given, note, settings

from sdykit import hlo
from sdykit.hlo.from_mlir import from_mlir
from sdykit.hlo.to_mlir import to_mlir
from sdykit.mlir import make_context
from support.amounts import examples
from support.hlo.async_chains import chain_programs
from support.hlo.linear_time import is_linear
from support.hlo.mlir_comparison import round_trip
from support.hlo.random_programs.programs import Program, programs

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=examples(150), deadline=None, derandomize=True, suppress_health_check=SLOW)
@given(chain_programs())
def test_random_chains_survive_the_round_trip(text: str):
    note(text)
    round_trip(text)


@settings(max_examples=examples(100), deadline=None, derandomize=True, suppress_health_check=SLOW)
@given(programs())
def test_random_programs_survive_the_round_trip(drawn: Program):
    text = drawn.text.replace("1e-3", "0.001")  # As XLA spells it.
    note(text)
    round_trip(text)


CARRIED = """\
HloModule carried, is_scheduled=true, entry_computation_layout={(f32[4]{0}, (s32[2,3]{0,1}, ()))->((f32[4]{0}))}, replica_count=2, num_partitions=4, frontend_attributes={a="b"}

FileNames
1 "a \\"quoted\\" name.py"

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%main (x: f32[]) -> f32[] {
  ROOT %x = f32[] parameter(0), metadata={op_name="in x"}
}

%odd-name (y: f32[4]) -> (f32[4]) {
  %y = f32[4] parameter(0)
  ROOT %.1 = (f32[4]) tuple(%y), sharding={{replicated}}
}, execution_thread="host"

ENTRY %start (a: f32[4], t: (s32[2,3], ())) -> ((f32[4])) {
  %a = f32[4] parameter(0), sharding={devices=[2]<=[2]}, metadata={op_name="a[0]" source_file="m.py" source_line=7}
  %t = (s32[2,3], ()) parameter(1), metadata={op_type="P" stack_frame_id=1}
  %held = (s32[2,3], ()) opt-barrier(%t), backend_config={"k":[1,{"v":""}]}
  %void = () get-tuple-element(%held), index=1
  %gone = () opt-barrier(%void)
  %c1 = f32[4] custom-call(%a, %gone), custom_call_target="q\\"\\\\\\n\xe9", custom_call_has_side_effect=true, called_computations={%main, %odd-name}, backend_config={"a":1}
  %c2 = (f32[4], (f32[4])) custom-call(%c1), custom_call_target="f", api_version=API_VERSION_TYPED_FFI, output_to_operand_aliasing={{0}: (0, {})}, backend_config={x = 1 : i32}
  %c3 = (f32[2,3]{0,1}, s32[]) custom-call(%a), custom_call_target="f", operand_layout_constraints={f32[4]{0}}
  %c4 = f32[] custom-call(), custom_call_target="f", operand_layout_constraints={}
  %e = f32[4] get-tuple-element(%c2), index=0, frontend_attributes={a.b="c",d="e\\"{}"}
  %n = f32[4] negate(%e), metadata={op_name="jit(f)/neg" source_file="m.py" source_line=8}, statistics={visualizing_index=0}
  ROOT %r = ((f32[4])) custom-call(%n), custom_call_target="g", frontend_attributes={z="1",y={"raw"}}
  %after = (f32[4]) call(%n), to_apply=%odd-name
  %unused = f32[4] abs(%n)
}
"""


def test_headers_names_and_metadata_survive_the_round_trip():
    found, wanted = round_trip(CARRIED), hlo.read(CARRIED)
    assert [op.name for op in found.entry] == [op.name for op in wanted.entry]
    # Layouts are left out but for those that a custom-call asks for.
    asked = [each.entry.by_name["c3"].shape for each in (found, wanted)]
    assert asked == ["(f32[2,3]{0,1}, s32[])"] * 2


def test_large_programs_take_linear_time():
    def there_and_back(count: int) -> None:
        lines = [f"  %n.{at} = f32[4] negate(%n.{at - 1})\n" for at in range(1, count)]
        first = "  %n.0 = f32[4] parameter(0)\n"
        module = hlo.read(f"HloModule m\nENTRY %main {{\n{first}{''.join(lines)}}}\n")
        assert len(from_mlir(to_mlir(module, make_context())).entry) == count

    assert is_linear(there_and_back, 1000)
