"""An HTML page that notebooks can show, and the template that it is made from."""

from __future__ import annotations

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup


class Page(str):
    """The text of a self-contained HTML page, which a notebook shows as the page itself.

    A notebook shows it in a frame of its own, so that its styles and scripts and those of
    other pages and of the notebook do not affect each other. The frame can be resized.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the frame with the text of the page, so that saved notebooks need no file."""
        # Without a base, links within the page are resolved against the address of the notebook.
        page = self.replace("<head>", '<head><base href="about:srcdoc">', 1)
        # Without `allow-same-origin`, scripts of the page cannot access anything outside of it.
        return Markup(
            '<div style="height: 640px; resize: vertical; overflow: hidden">'
            '<iframe srcdoc="{}" sandbox="allow-scripts" style="width: 100%; height: 100%;'
            ' border: 1px solid #8884; box-sizing: border-box"></iframe></div>'
        ).format(page)


def page_template(package: str) -> Template:
    """Return the template of a page, `templates/page.html.j2` in its package.

    It can include other files of that folder; `base.css`, which pages share, and `contents.css`, for those
    with a list of contents; and `charts.css`, the style sheet of `sdykit.viz.charts`.
    """
    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader(each) for each in (package, "sdykit.viz", "sdykit.viz.charts")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment.get_template("page.html.j2")
