"""`-sdy-manual-axes-cleanup` against the C++ pass."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from support.amounts import examples
from support.oracle import assert_same, ours
from support.sdy.constraint_modules import Features, constraint_module

PASS = "sdy-manual-axes-cleanup"

SEEDS = st.integers(0, 2**32 - 1)


@settings(derandomize=True, max_examples=examples(1500), deadline=None)
@given(SEEDS, st.booleans())
def test_random_modules_are_cleaned_up_as_by_the_oracle(seed: int, sloppy: bool) -> None:
    assert_same(constraint_module(Random(seed), Features(edges=0.2, sloppy=sloppy)), PASS)


PARTS = ['"a":(1)2', '"a":(2)2', '"a":(4)2', '"a":(8)2', '"a":(2)4', '"b"', '"c"']


def _disjoint(parts: list[str]) -> bool:
    return not ('"a":(2)4' in parts and ('"a":(2)2' in parts or '"a":(4)2' in parts))


def _merged(parts: list[str]) -> bool:
    """Return whether no two parts of an axis are adjacent, as in a valid sharding."""
    ends = {'"a":(1)2': 2, '"a":(2)2': 4, '"a":(4)2': 8, '"a":(2)4': 8}
    return not any(
        f'"a":({ends[part]})' in other for part in parts if part in ends for other in parts
    )


@settings(derandomize=True, max_examples=examples(500), deadline=None)
@given(
    st.lists(st.sampled_from(PARTS), unique=True).filter(_disjoint),
    st.integers(0, 7),
    st.integers(0, 7),
    st.permutations(["a", "b", "c"]),
)
def test_missing_parts_of_an_axis_are_replicated(
    parts: list[str], in_dim: int, replicated: int, axes: list[str]
) -> None:
    """A mesh axis of 16 in parts, some in a dimension, some replicated, some unreduced."""
    dim, rest = parts[:in_dim], parts[in_dim:]
    lists = rest[:replicated], rest[replicated:]
    if not all(map(_merged, (dim, *lists))):
        return
    # The order of the mesh: c, a, b; parts of an axis from major to minor.
    ordered = [sorted(part, key=['"c"', *PARTS[:5], '"b"'].index) for part in lists]
    words = zip(("replicated", "unreduced"), ordered, strict=True)
    extra = "".join(f", {word}={{{', '.join(part)}}}" for word, part in words if part)
    sharding = f"<@mesh, [{{{', '.join(dim)}}}]{extra}>"
    quoted = ", ".join(f'"{axis}"' for axis in axes)
    module = f"""
        sdy.mesh @mesh = <["c"=2, "a"=16, "b"=2]>
        func.func @main(%arg0: !stablehlo.token, %arg1: tensor<0xf32>) {{
          sdy.manual_computation(%arg0, %arg1)
              in_shardings=[<@mesh, []>, {sharding}] out_shardings=[] manual_axes={{{quoted}}}
              (%arg2: !stablehlo.token, %arg3: tensor<0xf32>) {{
            sdy.return
          }} : (!stablehlo.token, tensor<0xf32>) -> ()
          return
        }}"""
    assert_same(module, PASS)


def test_a_mesh_of_a_nested_module_is_found() -> None:
    """The C++ pass looks for meshes only at the top, and crashes if there is none."""
    outcome = ours(
        """
        module {
          module @inner {
            sdy.mesh @mesh = <["b"=2, "a"=2]>
            func.func @main(%arg0: tensor<8xf32>) {
              sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[]
                  manual_axes={"a", "b"} (%arg1: tensor<8xf32>) {
                sdy.return
              } : (tensor<8xf32>) -> ()
              return
            }
          }
        }""",
        PASS,
    )
    assert outcome.text is not None, outcome.errors
    assert '[<@mesh, [{}], replicated={"b", "a"}>]' in outcome.text
    assert 'manual_axes={"b", "a"}' in outcome.text


def test_a_mesh_at_the_top_hides_a_nested_one_of_its_name() -> None:
    assert_same(
        """
        module {
          sdy.mesh @mesh = <["a"=2, "b"=2]>
          module @inner {
            sdy.mesh @mesh = <["b"=2, "a"=2]>
            func.func @main(%arg0: tensor<8xf32>) {
              sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[]
                  manual_axes={"b"} (%arg1: tensor<8xf32>) {
                sdy.return
              } : (tensor<8xf32>) -> ()
              return
            }
          }
        }""",
        PASS,
    )
