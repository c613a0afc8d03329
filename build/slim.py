"""Selects the files of Qt that the packaged app needs, about half of the PySide6 wheels.

`conductor.spec` passes PyInstaller's tables of contents: (path in the package, source, kind).
"""

import re
from collections.abc import Iterable
from typing import TypeVar

Row = TypeVar("Row", bound="tuple[str, ...]")

QT_MODULES = frozenset(
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
EXCLUDED = re.compile(
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
    """Return the rows of the files that the app needs."""
    return [row for row in rows if is_needed(row[0].replace("\\", "/"))]


def is_needed(path: str) -> bool:
    """Return whether the app needs a file of the package."""
    found = QT_LIBRARY.search(path) or BINDING.search(path)
    if found is not None and "/plugins/" not in path:
        return found[1] in QT_MODULES
    return EXCLUDED.search(path) is None
