"""Serves the pages of MCP servers (MCP Apps) under addresses that nobody can guess.

Such a page is shown in a frame without an origin, and its content security policy blocks all network
access. The policy does not cover WebRTC. Therefore a script that runs before the page's own scripts removes
WebRTC, together with every way to get a document that still has it: nested frames, rewritten documents and
script addresses. One leak cannot be blocked: a malicious page can make the browser open an empty connection
to a host of its choice (`<link rel=preconnect>`) and so send data in the name of the host.
"""

import re
import secrets
from collections import OrderedDict

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

MAX_STORED_PAGES = 32
APP_PAGES_PATH = "/apps"
PAGE_CSP_TEMPLATE = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; worker-src 'none';"
    " frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors {origin},"
    " script-src-elem 'nonce-{nonce}'"
)
"""Two security policies that apply at the same time.

The first blocks external scripts, the second `javascript:` links.
"""
DOCTYPE_PATTERN = re.compile(r"\s*(<!doctype[^>]*>)?", re.IGNORECASE)
SCRIPT_PATTERN = re.compile(r"<script(?=[\s>/])", re.IGNORECASE)
SHADOW_ROOT_PATTERN = re.compile(r"shadowrootmode", re.IGNORECASE)
FRAME_PROTECTION_SCRIPT = """<script nonce={nonce}>
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel"]) delete self[name];
for (const name of ["write", "writeln", "open"]) delete Document.prototype[name];
for (const kind of [Element, ShadowRoot]) delete kind.prototype.setHTMLUnsafe;
delete Document.parseHTMLUnsafe;
(() => {{
  const frames = "iframe, frame, object, embed, fencedframe, portal";
  const {{ matches, remove, querySelectorAll: within, attachShadow }} = Element.prototype;
  const call = Function.prototype.call.bind(Function.prototype.call);
  const drop = (node) => {{
    if (!(node instanceof Element)) return;
    if (call(matches, node, frames)) call(remove, node);
    else for (const one of call(within, node, frames)) call(remove, one);
  }};
  const observer = new MutationObserver((records) => {{
    for (const {{ addedNodes }} of records) for (const node of addedNodes) drop(node);
  }});
  const watch = (root) => observer.observe(root, {{ childList: true, subtree: true }});
  watch(document);
  Element.prototype.attachShadow = function (options) {{
    const root = call(attachShadow, this, options);
    watch(root);
    return root;
  }};
  document.currentScript.remove();
}})();
</script>"""


class AppPages:
    """Keeps the latest pages of MCP servers in memory and serves them over HTTP.

    The class is not thread-safe, so use it only on the event loop.
    """

    def __init__(self) -> None:
        self._pages: OrderedDict[str, str] = OrderedDict()

    def store_page(self, html: str) -> str:
        """Store a page under a path that nobody can guess, and return the path.

        If more than 32 pages are stored, the oldest is deleted.
        """
        token = secrets.token_urlsafe(32)
        self._pages[token] = html
        while len(self._pages) > MAX_STORED_PAGES:
            self._pages.popitem(last=False)
        return f"{APP_PAGES_PATH}/{token}"

    async def serve_page(self, request: Request) -> Response:
        """Respond to an HTTP request for a stored page.

        A page that is unknown or has expired gives a 404 error.
        """
        html = self._pages.get(request.path_params["token"])
        if html is None:
            return PlainTextResponse(
                "this page has expired; close it and open it again from Conductor", status_code=404
            )
        nonce = secrets.token_hex(16)
        policy = PAGE_CSP_TEMPLATE.format(nonce=nonce, origin=f"http://{request.headers['host']}")
        headers = {"cache-control": "no-store", "content-security-policy": policy}
        return HTMLResponse(insert_protection(html, nonce), headers=headers)


def insert_protection(html: str, nonce: str) -> str:
    """Return the page with the protection script in front of its own scripts, to which the nonce is added.

    The script follows the doctype, because a page without a doctype at its start is rendered in quirks
    mode.
    """
    marked = SHADOW_ROOT_PATTERN.sub(
        "data-shadowrootmode", SCRIPT_PATTERN.sub(f"<script nonce={nonce}", html)
    )
    start = DOCTYPE_PATTERN.match(marked)
    at = 0 if start is None else start.end()
    return marked[:at] + FRAME_PROTECTION_SCRIPT.format(nonce=nonce) + marked[at:]
