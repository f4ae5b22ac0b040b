"""Sugar for operations of all kinds: XLA reads it as the program without sugar."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit import hlo
from support.hlo.xla_process import reprinted

CALLED = """HloModule m

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%less (a: f32[], b: f32[]) -> pred[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = pred[] compare(%a, %b), direction=LT
}

%same (a: f32[4]) -> f32[4] {
  ROOT %a = f32[4] parameter(0)
}

%never (a: f32[4]) -> pred[] {
  %a = f32[4] parameter(0)
  ROOT %b = pred[] constant(false)
}

"""
V = "f32[4]"
PAIR = "replica_groups={{0,1}}"


@dataclass
class Case:
    opcode: str
    result: str
    operands: list[str]
    attributes: str = ""

    def text(self) -> str:
        """Return a program that wraps the operation."""
        shapes = list(enumerate(self.operands))
        more = f", {self.attributes}" if self.attributes else ""
        names = ", ".join(f"%p{at}" for at, _ in shapes)
        outer = names.replace("p", "x")
        return "\n".join(
            [
                f"{CALLED}%wrapped {{",
                *[f"  %p{at} = {shape} parameter({at})" for at, shape in shapes],
                f"  ROOT %root = {self.result} {self.opcode}({names}){more}",
                "}\n\nENTRY %main {",
                *[f"  %x{at} = {shape} parameter({at})" for at, shape in shapes],
                f"  %start = (({', '.join(self.operands)}), {self.result}, u32[])"
                f" async-start({outer}), calls=%wrapped",
                f"  ROOT %done = {self.result} async-done(%start)",
                "}\n",
            ]
        )


CASES = [
    Case("reduce", "f32[]", [V, "f32[]"], "dimensions={0}, to_apply=%sum"),
    Case("sort", V, [V], "dimensions={0}, to_apply=%less"),
    Case("map", V, [V, V], "dimensions={0}, to_apply=%sum"),
    Case("reduce-window", V, [V, "f32[]"], "window={size=2 pad=0_1}, to_apply=%sum"),
    Case("while", V, [V], "condition=%never, body=%same"),
    Case("conditional", V, ["pred[]", V, V], "true_computation=%same, false_computation=%same"),
    Case("conditional", V, ["s32[]", V, V], "branch_computations={%same, %same}"),
    Case("call", V, [V], "to_apply=%same"),
    Case("fusion", V, [V], "kind=kLoop, calls=%same"),
    Case(
        "custom-call",
        V,
        [V],
        'custom_call_target="f", called_computations={%same}, '
        "output_to_operand_aliasing={{}: (0, {})}, schedule=SCHEDULE_LATEST",
    ),
    Case("iota", "s32[4]", [], "iota_dimension=0"),
    Case("partition-id", "u32[]", []),
    Case("all-to-all", V, [V], f"{PAIR}, dimensions={{0}}"),
    Case("reduce-scatter", "f32[2]", [V], f"{PAIR}, dimensions={{0}}, to_apply=%sum"),
    Case("collective-broadcast", V, [V], PAIR),
    Case("compare", "pred[4]", [V, V], "direction=LT, type=TOTALORDER"),
    Case("dot", "f32[]", [V, V], "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
    Case("dynamic-slice", "f32[2]", [V, "s32[]"], "dynamic_slice_sizes={2}"),
    Case("dynamic-update-slice", V, [V, "f32[2]", "s32[]"]),
    Case("tuple", f"({V}, s32[])", [V, "s32[]"]),
    Case("get-tuple-element", V, [f"({V}, s32[])"], "index=0"),
    Case("rng", V, ["f32[]", "f32[]"], "distribution=rng_uniform"),
    Case("infeed", f"({V}, token[])", ["token[]"]),
    Case("outfeed", "token[]", [V, "token[]"], f"outfeed_shape={V}"),
    Case("fft", "c64[3]", [V], "fft_type=RFFT, fft_length={4}"),
    Case("bitcast", V, ["f32[2,2]"]),
    Case("add-dependency", V, [V, "token[]"]),
    Case("after-all", "token[]", ["token[]"]),
    Case("topk", "(f32[2], s32[2])", [V], "k=2, largest=true"),
    Case("opt-barrier", V, [V]),
    Case("convert", "s32[4]", [V]),
    Case("pad", "f32[6]", [V, "f32[]"], "padding=1_1"),
    Case(
        "domain",
        V,
        [V],
        'domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}',
    ),
    Case(
        "gather",
        "f32[1,4]",
        ["f32[8,4]", "s32[1]"],
        "offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=0, "
        "slice_sizes={1,4}",
    ),
]


def test_xla_reads_sugar_of_all_kinds_as_the_wrapped_operation():
    texts = [case.text() for case in CASES]
    sugared = [hlo.to_text(hlo.read(text)) for text in texts]
    for case, text in zip(CASES, sugared, strict=True):
        assert f" {case.opcode}-start(" in text
        assert f" {case.opcode}-done(" in text
        assert "async" not in text
    expected = reprinted(texts, canonical=True)
    assert not [text for text in expected if text.startswith("refused")]
    assert reprinted(sugared, canonical=True) == expected
    explicit = [hlo.to_text(hlo.read(text), syntax_sugar=False) for text in sugared]
    assert reprinted(explicit, canonical=True) == expected
