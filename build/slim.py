"""What of Qt the packaged app needs; the rest of PySide6's wheels stays out (about half of it).

`conductor.spec` hands in PyInstaller's tables of contents: (place in the package, source, kind).
"""

import re
from collections.abc import Iterable
from typing import TypeVar

Row = TypeVar("Row", bound="tuple[str, ...]")

KEPT_QT = frozenset(
    (
        "Core",
        "DBus",
        "Gui",
        "Network",
        "OpenGL",
        "OpenGLWidgets",
        "Positioning",
        "PrintSupport",
        "Qml",
        "QmlMeta",
        "QmlModels",
        "QmlWorkerScript",
        "Quick",
        "QuickWidgets",
        "Svg",
        "SvgWidgets",
        "WaylandClient",
        "WaylandEglClientHwIntegration",
        "WebChannel",
        "WebEngineCore",
        "WebEngineWidgets",
        "Widgets",
        "WlShellIntegration",
        "XcbQpa",
    )
)
DROPPED = re.compile(
    r"""
    /Qt/qml/ |
    /Qt/translations/(?!qtwebengine_locales/en-US\.pak) |
    qtwebengine_devtools_resources |
    /Qt/plugins/(
        egldeviceintegrations | generic | networkinformation | position | printsupport | qmllint |
        qmltooling | sqldrivers | tls | multimedia | assetimporters | sceneparsers | geoservices |
        platforms/libq(eglfs|linuxfb|minimal|minimalegl|vkkhrdisplay|vnc) |
        platformthemes/libqgtk3 | imageformats/libq(pdf|tiff|tga|icns|wbmp|webp|gif)
    ) |
    ^lib(gtk-3|gdk-3|gdk_pixbuf|atk|atspi|cairo|pango|epoxy|harfbuzz-gobject|fribidi|thai|datrie) |
    \.debug\.pak$ | v8_context_snapshot\.debug
    """,
    re.VERBOSE,
)
QT_LIBRARY = re.compile(r"libQt6(\w+?)\.so")
BINDING = re.compile(r"PySide6/Qt(\w+)\.abi3\.so")


def slim(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that the app needs."""
    return [row for row in rows if is_needed(row[0].replace("\\", "/"))]


def is_needed(place: str) -> bool:
    """Return whether a file of the package is used."""
    found = QT_LIBRARY.search(place) or BINDING.search(place)
    if found is not None and "/plugins/" not in place:
        return found[1] in KEPT_QT
    return DROPPED.search(place) is None
