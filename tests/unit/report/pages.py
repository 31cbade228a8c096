"""Looks into a page as a browser would: its elements, and everything that it could load."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

__all__ = ["Page", "read_page"]

_LOADING = {
    "src",
    "href",
    "xlink:href",
    "data",
    "srcset",
    "poster",
    "action",
    "formaction",
    "background",
    "manifest",
    "ping",
    "cite",
}
_ACTIVE = {
    "script",
    "iframe",
    "object",
    "embed",
    "link",
    "base",
    "img",
    "image",
    "audio",
    "video",
    "form",
    "use",
}
_CSS_LOADS = re.compile(r"url\s*\(|@import|@font-face|image-set|expression\s*\(", re.IGNORECASE)


@dataclass
class Page(HTMLParser):
    """``references``: what the page would load or run; ``unclosed``: elements that have no end."""

    references: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    svgs: int = 0
    ids: list[str] = field(default_factory=list)
    open_tags: list[str] = field(default_factory=list)
    _style: bool = False

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.svgs += tag == "svg"
        self._style = tag == "style"
        if tag not in {"meta", "br"}:
            self.open_tags.append(tag)
        if tag in _ACTIVE:
            self.references.append(f"<{tag}>")
        for name, value in attrs:
            if name in _LOADING or name.startswith("on"):
                self.references.append(f"{tag} {name}={value}")
            if name == "style" and _CSS_LOADS.search(value or ""):
                self.references.append(f"{tag} style={value}")
            if name == "http-equiv" and (value or "").lower() == "refresh":
                self.references.append("refresh")
            if name == "id":
                self.ids.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags, f"</{tag}> ends nothing"
        assert self.open_tags.pop() == tag, f"</{tag}> crosses another element"

    def handle_data(self, data: str) -> None:
        if self._style:
            self.references += [f"css {found}" for found in _CSS_LOADS.findall(data)]
        elif data.strip():
            self.texts.append(data.strip())

    def handle_comment(self, data: str) -> None:
        self.references.append(f"<!--{data}-->")

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def read_page(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open_tags, f"unclosed: {page.open_tags}"
    return page
