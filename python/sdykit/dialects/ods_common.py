"""The module that the generated op and enum modules import instead of jaxlib's `_ods_common`.

They are `mlir-tblgen`'s output, which registers its classes with the bindings. jaxlib
does the same for its own `sdy` module when it first meets an `sdy` op, and the bindings
allow it only once. So all names are those of jaxlib's module, except that

- `register_dialect`, `register_operation` and `register_op_adaptor` register nothing;
- attribute builders, which turn an argument of an op class into an attribute, are kept
  here; a builder of the bindings is used where there is none. An argument may be a view:
  `sdy.MeshOp("mesh", sdy.MeshAttr(...))`.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from sdykit.dialects.base import AttributeView
from sdykit.mlir import ir, ods_common

if TYPE_CHECKING:
    from collections.abc import Callable

_Class = TypeVar("_Class", bound=type)
_Builder = TypeVar("_Builder", bound="Callable[..., ir.Attribute]")

equally_sized_accessor = ods_common.equally_sized_accessor
get_default_loc_context = ods_common.get_default_loc_context
get_op_result_or_op_results = ods_common.get_op_result_or_op_results
get_op_result_or_value = ods_common.get_op_result_or_value
get_op_results_or_values = ods_common.get_op_results_or_values
segmented_accessor = ods_common.segmented_accessor

_attribute_builders: dict[str, Callable[..., ir.Attribute]] = {}


def register_attribute_builder(kind: str) -> Callable[[_Builder], _Builder]:
    """Keep the decorated function as the builder of attributes of `kind`."""

    def keep(builder: _Builder) -> _Builder:
        _attribute_builders[kind] = builder
        return builder

    return keep


class _AttrBuilder:
    """The replacement of `ir.AttrBuilder` in the generated code."""

    @staticmethod
    def contains(_kind: str) -> bool:
        return True

    @staticmethod
    def get(kind: str) -> Callable[..., ir.Attribute]:
        """Return a function that makes an attribute of `kind` from an argument."""

        def build(value: object, context: ir.Context | None) -> ir.Attribute:
            if isinstance(value, AttributeView):
                return value.to_attr(context)
            if kind in _attribute_builders:
                return _attribute_builders[kind](value, context=context)
            if ir.AttrBuilder.contains(kind):
                return ir.AttrBuilder.get(kind)(value, context=context)
            raise TypeError(f"cannot make an attribute of kind {kind} out of {value!r}")

        return build


def _unchanged(cls: _Class) -> _Class:
    return cls


def _register_nothing(*_args: Any, **_options: Any) -> Callable[[_Class], _Class]:
    return _unchanged


def _overlay(module: ModuleType, **replacements: object) -> ModuleType:
    """Return a copy of a module with some names replaced."""
    copy = ModuleType(module.__name__, module.__doc__)
    vars(copy).update(vars(module))
    vars(copy).update(replacements)
    return copy


_ir = _overlay(ods_common._cext.ir, AttrBuilder=_AttrBuilder)
_cext = _overlay(
    ods_common._cext,
    ir=_ir,
    register_dialect=_unchanged,
    register_operation=_register_nothing,
    register_op_adaptor=_register_nothing,
)
