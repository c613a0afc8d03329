"""Serves the files of the page and of the sandbox, with headers that restrict what they may do.

Pages under /sandbox/ run code that nobody has reviewed. They have no origin, so they reach neither the page
nor its storage nor the bridge, and no network except for these public files.
"""

import mimetypes
import os
import posixpath
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conductor.bridge.app_pages import APP_PAGES_PATH

UI_FOLDER = Path(__file__).parent.parent / "ui"
PAGE_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (
        b"content-security-policy",
        (
            b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
            b"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; "
            b"worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            b"object-src 'none'"
        ),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
SANDBOX_PATH = "/sandbox"
SANDBOX_CSP_TEMPLATE = (
    "sandbox allow-scripts; default-src 'none'; script-src {file_sources} blob: {script_sources};"
    " worker-src blob:; connect-src {connect_sources}; base-uri 'none'; form-action 'none';"
    " frame-ancestors {origin}"
)
SANDBOX_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-dns-prefetch-control", b"off"),
    # the sandbox has an opaque origin, so even its own files count as cross-origin
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"access-control-allow-origin", b"*"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), clipboard-read=(), usb=()"),
)
# browsers require these types, but the operating system may map the extensions differently
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("text/javascript", ".mjs")
mimetypes.add_type("application/wasm", ".wasm")
NOT_BUILT_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Conductor</title>
<style>body{font:15px system-ui;max-width:34em;margin:12vh auto;padding:0 1em;line-height:1.5}</style>
<h1>The window has not been built</h1>
<p>Conductor is running, but the files of its window are missing from this installation.</p>
<p>In a source checkout, run <code>make setup</code> or <code>npm run build</code>, then reload this
page. If you installed a package, reinstall it.</p></html>"""


class StaticFilesApp(StaticFiles):
    """Serves the files of the built page.

    Browsers may keep a file with a hash in its name forever, and must check whether any other file has
    changed.
    """

    def file_response(self, full_path: Any, *args: Any, **options: Any) -> Any:
        response = super().file_response(full_path, *args, **options)
        is_hashed = f"{os.sep}assets{os.sep}" in str(full_path)
        cache_control = "public, max-age=31536000, immutable" if is_hashed else "no-cache"
        response.headers["cache-control"] = cache_control
        return response


def build_files_app(folder: Path) -> ASGIApp:
    """Return the ASGI app that serves the page, or a page that says that the files are missing."""
    if (folder / "index.html").is_file():
        return StaticFilesApp(directory=folder, html=True)
    return HTMLResponse(NOT_BUILT_PAGE, status_code=503)


def _build_headers(scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
    """Return the security headers for the path of a request."""
    path = posixpath.normpath(scope["path"])
    if path.startswith(f"{APP_PAGES_PATH}/"):
        return SANDBOX_HEADERS  # `AppPages` sets a content security policy for each of its pages
    if not path.startswith(f"{SANDBOX_PATH}/"):
        return PAGE_HEADERS
    host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    file_sources = f"http://{host}{SANDBOX_PATH}/"
    is_python = "javascript" not in path
    policy = SANDBOX_CSP_TEMPLATE.format(
        file_sources=file_sources,
        script_sources="'wasm-unsafe-eval'" if is_python else "'unsafe-eval'",
        connect_sources=file_sources if is_python else "'none'",
        origin=f"http://{host}",
    )
    return ((b"content-security-policy", policy.encode("latin-1")), *SANDBOX_HEADERS)


def add_security_headers(app: ASGIApp) -> ASGIApp:
    """Return an ASGI app that adds the security headers to every response of the given app."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_build_headers(scope)]
            await send(message)

        await app(scope, receive, send_with_headers)

    return serve
