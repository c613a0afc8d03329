"""What a Conductor without a window does not pay for."""

import subprocess
import sys

LIGHT = ("conductor.bridge", "conductor.bridge.browser_pages")
"""What starts the web server when a page is first asked for; it imports the rest of the room only then."""


def test_a_headless_start_imports_nothing_of_the_page() -> None:
    check = (
        "import sys, conductor.cli.run, conductor.app.services, conductor.app.build, conductor.mcp.server.socket_server;"
        "print([n for n in sys.modules if n.startswith(('conductor.bridge', 'starlette.app', 'uvicorn'))"
        f" and n not in {LIGHT}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
