"""The page with the picture of MPMD programs, as text: data, escaping, self-containedness."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from html.parser import HTMLParser
from typing import Any

import pytest

from sdykit.viz.mpmd_view import mpmd_page, page_data
from sdykit.viz.mpmd_view.model import Marks, Program, Step
from support.mpmd.view_programs import EXPORT, ODD, REAL, programs_of, real


class Page(HTMLParser):
    """Collects the tags, and the text of scripts by their type."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.scripts: dict[str, str] = {}
        self.title = ""
        self._open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= dict(attrs)
        self._open.append((tag, dict(attrs).get("type") or ""))

    def handle_data(self, data: str) -> None:
        tag, kind = self._open[-1] if self._open else ("", "")
        if tag == "script":
            self.scripts[kind] = self.scripts.get(kind, "") + data
        if tag == "title":
            self.title += data.strip()


def data_of(text: str) -> dict[str, Any]:
    return json.loads(Page(text).scripts["application/json"])


@pytest.mark.parametrize("name", REAL)
def test_the_page_has_the_data_of_the_programs(name: str) -> None:
    programs = programs_of(real(name), EXPORT)
    assert data_of(mpmd_page(programs, name)) == json.loads(json.dumps(page_data(programs)))


def test_each_type_is_listed_once() -> None:
    programs = programs_of(real("mlp"))
    data = page_data(programs)
    texts = [each["text"] for each in data["types"]]
    assert len(texts) == len(set(texts))
    for number, port in enumerate(programs[0].arguments):
        written = data["programs"][0]["arguments"][number]
        assert data["types"][written["type"]]["text"] == port.type.text


def test_default_values_are_left_out() -> None:
    (program,) = page_data(programs_of(real("mlp")))["programs"]
    first = program["steps"][0]
    assert first.keys() == {
        *("body", "call_counter", "inputs", "kind", "label", "lanes", "op", "origins"),
        *("outputs", "place", "tick"),
    }
    assert first["inputs"][0] == {
        "name": "%arg4",
        "type": first["inputs"][0]["type"],
        "source": {"step": None, "index": 4},
    }


@pytest.mark.parametrize("kind", [Step, Marks, Program])
def test_the_script_reads_every_field(kind: type) -> None:
    script = Page(mpmd_page(programs_of(ODD), "x")).scripts[""]
    for each in fields(kind):
        assert re.search(rf"\b{each.name}\b", script), each.name


def test_names_with_markup_are_escaped() -> None:
    hostile = "</title><script>fail()</script>&amp;"
    page = Page(mpmd_page(programs_of(ODD), hostile))
    assert page.title == hostile
    assert page.tags.count("script") == 2
    assert "img" not in page.tags
    assert "onerror" not in page.attributes
    lanes = json.loads(page.scripts["application/json"])["programs"][1]["lanes"]
    assert lanes[1]["name"] == "<img src=x onerror=fail()>"


def test_the_page_loads_nothing() -> None:
    text = mpmd_page(programs_of(real("mlp")), "mlp")
    page = Page(text)
    assert not {"link", "img", "iframe"} & set(page.tags)
    assert not {"src", "href"} & page.attributes.keys()
    assert not re.search(r"https?://|@import|url\((?!#)|fetch\(|XMLHttpRequest|import\(", text)


def test_names_that_are_not_utf8_stay_in_the_page() -> None:
    odd = r'module { func.func @"a\FF"() attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} { return } }'
    text = mpmd_page(programs_of(odd), "x")
    assert data_of(text)["programs"][0]["name"] == "a\udcff"
    text.encode()
