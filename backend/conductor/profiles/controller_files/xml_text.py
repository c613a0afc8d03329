"""Parses XML safely: without document types and entities, and with limits on depth and size."""

from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from conductor.profiles.controller_files.controls import build_import_error

MAX_XML_DEPTH, MAX_XML_ELEMENTS = 64, 100_000


class _ForbiddenXml(ValueError):
    """Raised for XML that has a document type, or more elements than allowed."""


def parse_xml(data: bytes, name: str) -> Element:
    """Return the root element of an XML file.

    A document type is refused, because its entities can make a small file expand to gigabytes.

    Raises:
        InvalidParams: the file is not XML, is too deep or too large, or has a document type.
    """
    builder, limits = TreeBuilder(), _XmlLimits()
    parser = expat.ParserCreate()

    def on_start(tag: str, attributes: dict[str, str]) -> None:
        limits.enter_element()
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
        raise build_import_error(
            name,
            f"line {error.lineno}: it is not valid XML ({expat.ErrorString(error.code)}); "
            "export it again from the program that wrote it",
        ) from None
    except _ForbiddenXml as error:
        raise build_import_error(name, str(error)) from None
    except (AssertionError, LookupError, ValueError) as error:
        raise build_import_error(name, f"it is not valid XML ({error}); export it again") from None


class _XmlLimits:
    def __init__(self) -> None:
        self.depth = self.count = 0

    def enter_element(self) -> None:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_XML_DEPTH:
            raise _ForbiddenXml(f"its elements are nested more than {MAX_XML_DEPTH} deep")
        if self.count > MAX_XML_ELEMENTS:
            raise _ForbiddenXml(f"it has more than {MAX_XML_ELEMENTS} elements")


def _refuse_doctype(*_args: Any) -> None:
    raise _ForbiddenXml("it has a DOCTYPE, which controller files do not need; delete that line")
