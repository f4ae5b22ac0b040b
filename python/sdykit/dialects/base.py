"""The base classes of the generated views of attributes and types.

A view is a frozen dataclass holding strings, numbers and other views, never a reference
into an MLIR context: it may be kept, hashed, compared and shared between contexts.
"""

from __future__ import annotations

import weakref
from typing import ClassVar, Self

from sdykit.dialects.text import TextParser
from sdykit.errors import AttributeSyntaxError
from sdykit.mlir import ir

_NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._"

# id of a living context -> address of an attribute or type in it -> its view. Attributes
# live as long as their context, and a context takes its entry with it when it dies; so a
# key is never stale, and nothing here keeps a context alive.
_views_of_context: dict[int, dict[int, View]] = {}
_context_watchers: dict[int, weakref.ref[ir.Context]] = {}


class View:
    """The base class of views of attributes and of types."""

    __slots__ = ()

    NAME: ClassVar[str]
    """The full name as in a text, `#sdy.mesh`."""
    GLUED: ClassVar[bool] = False
    """Whether MLIR may print a word directly after the name: `#sdy<edge_value_refresult-1>`."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a full text such as `#sdy.mesh<["x"=2]>`.

        Whatever MLIR prints is accepted. Only the format is checked, not the constraints that
        MLIR's verifier checks.

        Raises:
            AttributeSyntaxError: the text does not follow the format.
        """
        parser = TextParser(text, cls.NAME)
        view = cls.parse_full(parser)
        parser.end()
        return view

    def __str__(self) -> str:
        """Return the full text, as MLIR prints it."""
        body = self.print_body()
        if body[:1] == "<" and body[-1:] == ">":
            return self.NAME + body
        rest = body.lstrip(_NAME_CHARACTERS)
        if not rest or (rest[0] == "<" and rest[-1] == ">"):
            return self.NAME + body
        return self._symbol("", body)

    def unambiguous_text(self) -> str:
        """Return a text that MLIR reads back, unlike `str` of the glued kinds."""
        return self._symbol(" ", self.print_body())

    @classmethod
    def readable_text(cls, printed: str) -> str:
        """Return a text that can be parsed, for one that MLIR prints but cannot parse."""
        return printed

    def _symbol(self, space: str, body: str) -> str:
        dialect, _, mnemonic = self.NAME.partition(".")
        return f"{dialect}<{mnemonic}{space}{body}>"

    @classmethod
    def parse_full(cls, parser: TextParser) -> Self:
        """Consume a full text."""
        view = cls._parse_named(parser)
        if view is None:
            parser.fail(f"`{cls.NAME}`")
        return view

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        """Consume what follows the name."""
        raise NotImplementedError

    def print_body(self) -> str:
        """Return what follows the name."""
        raise NotImplementedError

    @classmethod
    def _parse_named(cls, parser: TextParser) -> Self | None:
        """Consume a full text; if the name is another, consume nothing and return None."""
        tokens, index = parser.tokens, parser.index
        token, name = tokens[index], cls.NAME
        dialect, _, mnemonic = name.partition(".")
        if token == name + "<":  # `#sdy.mesh<...>`
            tokens[index] = "<"
            return cls.parse_body(parser)
        if token == name:  # `#sdy.dim_mapping`
            return cls._parse_empty(parser)
        close = token == dialect + "<"  # `#sdy<axis_ref"x">`
        if close:
            index += 1
            token, name = tokens[index], mnemonic
        if token == name:
            parser.index = index + 1
        elif cls.GLUED and token.startswith(name):
            parser.index = index
            tokens[index] = token[len(name) :]  # the first word of the body
        else:
            return None
        view = cls.parse_body(parser)
        if close:
            parser.expect(">")
        return view

    @classmethod
    def _parse_empty(cls, parser: TextParser) -> Self:
        try:
            view = cls.parse_body(TextParser("", cls.NAME))
        except AttributeSyntaxError:
            parser.fail(f"`{cls.NAME}<`")
        parser.index += 1
        return view

    @classmethod
    def _of(cls, element: ir.Attribute | ir.Type) -> Self:
        """Return the view of an attribute or type, from the cache if it is there."""
        try:
            view = _views_of_context[id(element.context)][hash(element)]
        except KeyError:
            return cls._read(element)
        if not isinstance(view, cls):
            raise TypeError(f"expected {cls.NAME}, found {element}")
        return view

    @classmethod
    def _read(cls, element: ir.Attribute | ir.Type) -> Self:
        text = cls.readable_text(str(element))
        parser = TextParser(text, cls.NAME)
        view = cls._parse_named(parser)
        if view is None:
            raise TypeError(f"expected {cls.NAME}, found {text}")
        parser.end()
        _cache_of(element.context)[hash(element)] = view
        return view


class AttributeView(View):
    """A view of an attribute."""

    __slots__ = ()

    @classmethod
    def of(cls, attribute: ir.Attribute) -> Self:
        """Return the view of an attribute; each attribute of a context is read once.

        Raises:
            TypeError: it is an attribute of another kind.
        """
        if not isinstance(attribute, ir.Attribute):
            raise TypeError(f"expected {cls.NAME}, found {attribute!r}")
        return cls._of(attribute)

    def to_attr(self, context: ir.Context | None = None) -> ir.Attribute:
        """Return the attribute in `context`, by default the current one.

        Raises:
            AttributeSyntaxError: MLIR rejects the text, usually because a constraint is violated.
        """
        try:
            return ir.Attribute.parse(self.unambiguous_text(), context)
        except ir.MLIRError as error:
            raise _rejected(self, error) from None


class TypeView(View):
    """A view of a type."""

    __slots__ = ()

    @classmethod
    def of(cls, mlir_type: ir.Type) -> Self:
        """Return the view of a type; each type of a context is read once.

        Raises:
            TypeError: it is a type of another kind.
        """
        if not isinstance(mlir_type, ir.Type):
            raise TypeError(f"expected {cls.NAME}, found {mlir_type!r}")
        return cls._of(mlir_type)

    def to_type(self, context: ir.Context | None = None) -> ir.Type:
        """Return the type in `context`, by default the current one.

        Raises:
            AttributeSyntaxError: MLIR rejects the text, usually because a constraint is violated.
        """
        try:
            return ir.Type.parse(self.unambiguous_text(), context)
        except ir.MLIRError as error:
            raise _rejected(self, error) from None


def _rejected(view: View, error: ir.MLIRError) -> AttributeSyntaxError:
    reasons = "; ".join(diagnostic.message for diagnostic in error.error_diagnostics)
    return AttributeSyntaxError(f"MLIR rejects {view}: {reasons}")


def _cache_of(context: ir.Context) -> dict[int, View]:
    key = id(context)
    cache = _views_of_context.get(key)
    if cache is None:
        cache = _views_of_context[key] = {}

        def forget(_: weakref.ref[ir.Context]) -> None:
            del _views_of_context[key], _context_watchers[key]

        _context_watchers[key] = weakref.ref(context, forget)
    return cache
