"""Parses XML without entities and document types, and with limits on depth and size."""

from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from conductor.profiles.controller_files.controls import fail

MAX_DEPTH, MAX_ELEMENTS = 64, 100_000


class _ForbiddenXml(ValueError):
    """XML with a document type, or with too many elements."""


def parse_xml(data: bytes, name: str) -> Element:
    """Return the root element of an XML file.

    A document type is refused, because its entities can make a small file expand to gigabytes.

    Raises:
        InvalidParams: the file is not XML, is too deep or too large, or has a document type.
    """
    builder, limits = TreeBuilder(), _Limits()
    parser = expat.ParserCreate()

    def on_start(tag: str, attributes: dict[str, str]) -> None:
        limits.enter()
        builder.start(tag, attributes)

    def on_end(tag: str) -> None:
        limits.depth -= 1
        builder.end(tag)

    parser.StartElementHandler = on_start
    parser.EndElementHandler = on_end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.EntityDeclHandler = _refuse_doctype
    try:
        parser.Parse(data, True)
        return builder.close()
    except expat.ExpatError as error:
        raise fail(
            name,
            f"line {error.lineno}: it is not valid XML ({expat.ErrorString(error.code)}); "
            "export it again from the program that wrote it",
        ) from None
    except _ForbiddenXml as error:
        raise fail(name, str(error)) from None
    except (AssertionError, LookupError, ValueError) as error:
        raise fail(name, f"it is not valid XML ({error}); export it again") from None


class _Limits:
    def __init__(self) -> None:
        self.depth = self.count = 0

    def enter(self) -> None:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH:
            raise _ForbiddenXml(f"its elements are nested more than {MAX_DEPTH} deep")
        if self.count > MAX_ELEMENTS:
            raise _ForbiddenXml(f"it has more than {MAX_ELEMENTS} elements")


def _refuse_doctype(*_args: Any) -> None:
    raise _ForbiddenXml("it has a DOCTYPE, which controller files do not need; delete that line")
