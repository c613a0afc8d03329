"""What the page loads before it shows anything."""

import re
from pathlib import Path

from conductor.bridge.static import UI_FOLDER

LIMIT_BYTES = 400_000
SCRIPT = re.compile(r'<script type="module"[^>]* src="\./([^"]+)"')
STATIC_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*["'`]\./([^"'`]+)["'`]""")


def collect_first_load() -> set[Path]:
    """Return the scripts of index.html with everything that they import statically."""
    found: set[Path] = set()
    waiting = [UI_FOLDER / path for path in SCRIPT.findall((UI_FOLDER / "index.html").read_text())]
    while waiting:
        script = waiting.pop().resolve()
        if script not in found:
            found.add(script)
            imports = STATIC_IMPORT.findall(script.read_text())
            waiting.extend(script.parent / path for path in imports)
    return found


def test_the_first_load_of_the_page_is_small():
    sizes = {script.name: script.stat().st_size for script in collect_first_load()}
    assert sizes, "the page is not built: npm run build"
    assert sum(sizes.values()) <= LIMIT_BYTES, (
        f"{sizes}: import what only one view needs with that view, or with import()"
    )


def test_each_view_has_code_of_its_own():
    names = {path.name.partition("-")[0] for path in (UI_FOLDER / "assets").glob("*View-*.js")}
    assert {"MappingsView", "ChatView", "MonitorView", "SettingsView"} <= names
