"""Makes the packaged app smaller: leaves out what libraries bring along unused, and strips symbols.

`conductor.spec` passes PyInstaller's tables of contents: (path in the package, source, kind).
"""

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
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
    babel/locale-data/(?!root\.|en\.|en_US) |  # trafilatura only asks whether a language exists
    /Qt/qml/ |
    /Qt/translations/(?!qtwebengine_locales/en-US\.pak) |
    qtwebengine_devtools_resources |
    /Qt/plugins/(
        egldeviceintegrations | generic | networkinformation | position | printsupport | qmllint |
        qmltooling | sqldrivers | tls | multimedia | assetimporters | sceneparsers | geoservices |
        platforms/libq(eglfs|linuxfb|minimal|minimalegl|vkkhrdisplay|vnc) |
        platformthemes/libqgtk3 | imageformats/libq(pdf|tiff|tga|icns|wbmp|webp|gif)
    ) |
    platforminputcontexts/libqtvirtualkeyboard |
    ^pygame/(mixer|font|image|_freetype|freesansbold) |  # only gamepads are read
    ^pocketsphinx/model/en-us/en-us\.lm\.bin |  # names need no language model: 27 MB
    ^lxml/(objectify|isoschematron|html/diff|html/_difflib) |
    ^numpy/(fft/|_core/_\w+_tests\.) |
    ^lib(gtk-3|gdk-3|gdk_pixbuf|atk|atspi|cairo|pango|epoxy|harfbuzz-gobject|fribidi|thai|datrie) |
    \.debug\.pak$ | v8_context_snapshot\.debug
    """,
    re.VERBOSE,
)
UNUSED_MODULES = re.compile(
    r"""
    (
        pygments | rich | markdown_it | mdurl |  # colours of the commands of httpx and pydantic-ai
        sqlalchemy\.dialects\.(mssql|mysql|oracle|postgresql) |  # only SQLite is used
        # Of the providers' libraries, Conductor calls chat, responses, transcription and the list of models.
        openai\.(resources|types)\.(admin|beta|evals|fine_tuning|live|realtime|vector_stores) |
        google\.genai\._gaos |  # interactions, webhooks, agents
        pydantic_ai\.(_cli|realtime|ui|durable_exec\.(dbos|prefect|temporal)) |
        # Other protocols; the rest are those of OpenAI.
        pydantic_ai\.models\.(bedrock|cohere|decision|groq|huggingface|mistral|snowflake|xai) |
        pydantic\.(v1|mypy) |  # for code written before pydantic 2, and for a type checker
        numpy\.(fft|ma|polynomial|testing) |  # loaded when they are first used, which nothing does
        lxml\.html\.(diff|_difflib|formfill|html5parser|soupparser) |
        websockets\.trio | anyio\._backends\._trio |  # everything runs on asyncio
        distutils  # for compilers
    )(\.|$)
    """,
    re.VERBOSE,
)
"""Modules that are only imported in functions that Conductor never calls."""
UNUSED_BINDINGS = frozenset(
    ("OpenGL", "OpenGLWidgets", "Positioning", "Qml", "Quick", "QuickWidgets")
)
"""Modules of Qt whose library is needed and whose Python binding is not."""
QT_LIBRARY = re.compile(r"libQt6(\w+?)\.so")
BINDING = re.compile(r"PySide6/Qt(\w+)\.abi3\.so")


def slim(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of the files that the app needs."""
    return [row for row in rows if is_needed(row[0].replace("\\", "/"))]


def is_needed(path: str) -> bool:
    """Return whether the app needs a file of the package."""
    binding = BINDING.search(path)
    if binding is not None and binding[1] in UNUSED_BINDINGS:
        return False
    found = QT_LIBRARY.search(path) or binding
    if found is not None and "/plugins/" not in path:
        return found[1] in QT_MODULES
    return EXCLUDED.search(path) is None


def is_imported(module: str) -> bool:
    """Return whether the app imports a module of the package."""
    return UNUSED_MODULES.match(module) is None


def copy_without_symbols(
    rows: Iterable[tuple[str, str, str]], folder: Path
) -> list[tuple[str, str, str]]:
    """Copy libraries into a folder without their symbols, and return the rows of the copies."""
    copies: list[tuple[str, str, str]] = []
    for path, source, kind in rows:
        copy = folder / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)
        copies.append((path, str(copy), kind))
    strip_symbols(folder)
    return copies


def strip_symbols(folder: Path) -> None:
    """Remove the symbols of libraries, which are a third of some wheels.

    The files of NumPy's and Qt's wheels are left alone: their layout was changed after linking, and `strip`
    breaks such files. PyInstaller's own option would strip them too.
    """
    libraries = [
        str(path)
        for path in folder.rglob("*.so*")
        if path.is_file()
        and not path.is_symlink()
        and not any(part.endswith(".libs") or part == "PySide6" for part in path.parts)
    ]
    subprocess.run(["strip", "--strip-unneeded", *libraries], check=True)
