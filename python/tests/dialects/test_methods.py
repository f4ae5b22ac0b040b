"""Methods of the views that `sdykit.dialects.sdy.*_methods` adds."""

from __future__ import annotations

import pytest

from sdykit.dialects import sdy

MESH = sdy.MeshAttr.parse('#sdy.mesh<["x"=2, "y"=4, "z"=8]>')
MAXIMAL = sdy.MeshAttr((), (3,))
EMPTY = sdy.MeshAttr()


def axis(text: str) -> sdy.AxisRefAttr:
    return sdy.AxisRefAttr.parse(f"#sdy<axis_ref{text}>")


def sharding(text: str) -> sdy.TensorShardingAttr:
    return sdy.TensorShardingAttr.parse(f"#sdy.sharding<@mesh, {text}>")


@pytest.mark.parametrize(("mesh", "size"), [(MESH, 64), (MAXIMAL, 1), (EMPTY, 1)])
def test_the_total_size_of_a_mesh_is_the_product_of_its_axes(mesh: sdy.MeshAttr, size: int) -> None:
    assert mesh.total_size == size


@pytest.mark.parametrize(
    ("mesh", "is_maximal", "is_empty"),
    [
        (MESH, False, False),
        (MAXIMAL, True, False),
        (EMPTY, False, True),
        (sdy.MeshAttr((sdy.MeshAxisAttr("x", 2),), (1, 0)), False, False),
        (sdy.MeshAttr((sdy.MeshAxisAttr("x", 1),)), False, False),
    ],
)
def test_a_mesh_is_maximal_with_one_device_id_and_empty_without_axes_and_ids(
    mesh: sdy.MeshAttr, is_maximal: bool, is_empty: bool
) -> None:
    assert mesh.is_maximal == is_maximal
    assert mesh.is_empty == is_empty


def test_a_mesh_has_its_axes_by_name() -> None:
    assert MESH.axis_names == ("x", "y", "z")
    assert MESH.has_axis("y")
    assert not MESH.has_axis("q")
    assert MESH.axis_size("y") == 4
    with pytest.raises(LookupError, match=r"has no axis 'q'"):
        MESH.axis_size("q")


def test_axes_are_sorted_in_the_order_of_the_mesh() -> None:
    ordered = ['"x"', '"y":(1)2', '"y":(2)2', '"z":(1)2', '"z":(1)4', '"z"', '"z":(2)4']
    axes = [axis(text) for text in ordered]
    shuffled = [axes[index] for index in (4, 2, 6, 0, 5, 1, 3)]
    assert sorted(shuffled, key=MESH.axis_key) == axes
    assert sorted(["z", "x", "y"], key=MESH.axis_key) == ["x", "y", "z"]
    assert MESH.axis_key("y") == MESH.axis_key(axis('"y"'))
    with pytest.raises(LookupError, match=r"has no axis 'q'"):
        MESH.axis_key("q")


def test_an_axis_reference_has_its_size_in_a_mesh() -> None:
    assert axis('"z"').size_in(MESH) == 8
    assert axis('"z":(2)4').size_in(MESH) == 4
    with pytest.raises(LookupError, match=r"has no axis 'q'"):
        axis('"q"').size_in(MESH)


@pytest.mark.parametrize(
    ("text", "closed", "replicated"),
    [
        ("[]", True, True),
        ('[{"x"}, {}]', True, False),
        ('[{}, {"x", ?}]', False, False),
        ("[{}, {?}]", False, True),
        ('[{}, {}], replicated={"x"}, unreduced={"y"}', True, True),
    ],
)
def test_a_sharding_is_fully_closed_or_replicated_if_all_dimensions_are(
    text: str, closed: bool, replicated: bool
) -> None:
    assert sharding(text).is_fully_closed == closed
    assert sharding(text).is_fully_replicated == replicated


def test_a_sharding_lists_the_axes_of_all_dimensions() -> None:
    text = '[{"a", "b":(1)2}, {}, {"c"}], replicated={"d"}, unreduced={"e"}'
    expected = [axis(text) for text in ('"a"', '"b":(1)2', '"c"', '"d"', '"e"')]
    assert list(sharding(text).all_axes()) == expected
    assert sharding(text).rank == 3


def test_uniform_shardings_have_the_same_dimensions_throughout() -> None:
    assert sdy.TensorShardingAttr.fully_closed("mesh", 2) == sharding("[{}, {}]")
    assert sdy.TensorShardingAttr.fully_open("mesh", 1) == sharding("[{?}]")
    inlined = sdy.TensorShardingAttr.fully_open(MAXIMAL, 0)
    assert str(inlined) == "#sdy.sharding<mesh<[], device_ids=[3]>, []>"
