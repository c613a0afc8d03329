"""The pages that MCP servers bring along, kept for a while under addresses that nobody can guess."""

import re
import secrets
from collections import OrderedDict

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

KEPT = 32
PLACE = "/apps"
DOCTYPE = re.compile(r"\s*(<!doctype[^>]*>)?", re.IGNORECASE)
FENCE = """<script>
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel"]) delete self[name];
document.currentScript.remove();</script>"""
"""What a policy cannot take from a page: connections that go past it."""


class AppPages:
    """For the event loop; the oldest page goes when there are too many."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, str] = OrderedDict()

    def put(self, html: str) -> str:
        """Keep a page, and give the path to it."""
        token = secrets.token_urlsafe(32)
        start = DOCTYPE.match(html)
        at = 0 if start is None else start.end()
        self._pages[token] = html[:at] + FENCE + html[at:]
        while len(self._pages) > KEPT:
            self._pages.popitem(last=False)
        return f"{PLACE}/{token}"

    async def answer(self, request: Request) -> Response:
        """Serve a page."""
        html = self._pages.get(request.path_params["token"])
        if html is None:
            return PlainTextResponse("this page is no longer kept", status_code=404)
        return HTMLResponse(html, headers={"cache-control": "no-store"})
