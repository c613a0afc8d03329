"""The pages that MCP servers bring along, kept for a while under addresses that nobody can guess.

A page is framed without an origin, and its policy lets it reach nothing, whatever it asks for. What a policy
does not cover is WebRTC: it is taken from the page before its first script, and so is every way to a document
that has it still: frames of its own, documents written anew, and addresses that are scripts. What cannot be
taken: a page that means harm can make the browser open a bare connection, with nothing sent over it, to a host
that it names (`<link rel=preconnect>`), and so tell by names what it was shown.
"""

import re
import secrets
from collections import OrderedDict

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

KEPT = 32
PLACE = "/apps"
POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; worker-src 'none';"
    " frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors {origin},"
    " script-src-elem 'nonce-{nonce}'"
)
"""Two policies, both in force: by the first no script comes from elsewhere, by the second no address is one."""
DOCTYPE = re.compile(r"\s*(<!doctype[^>]*>)?", re.IGNORECASE)
SCRIPT = re.compile(r"<script(?=[\s>/])", re.IGNORECASE)
SHADOW = re.compile(r"shadowrootmode", re.IGNORECASE)
FENCE = """<script nonce={nonce}>
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
    """For the event loop; the oldest page goes when there are too many."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, str] = OrderedDict()

    def put(self, html: str) -> str:
        """Keep a page, and give the path to it."""
        token = secrets.token_urlsafe(32)
        self._pages[token] = html
        while len(self._pages) > KEPT:
            self._pages.popitem(last=False)
        return f"{PLACE}/{token}"

    async def answer(self, request: Request) -> Response:
        """Serve a page."""
        html = self._pages.get(request.path_params["token"])
        if html is None:
            return PlainTextResponse("this page is no longer kept", status_code=404)
        nonce = secrets.token_hex(16)
        policy = POLICY.format(nonce=nonce, origin=f"http://{request.headers['host']}")
        headers = {"cache-control": "no-store", "content-security-policy": policy}
        return HTMLResponse(fenced(html, nonce), headers=headers)


def fenced(html: str, nonce: str) -> str:
    """Put the fence before everything but the document's type, and let the page's own scripts run."""
    own = SHADOW.sub("data-shadowrootmode", SCRIPT.sub(f"<script nonce={nonce}", html))
    start = DOCTYPE.match(own)
    at = 0 if start is None else start.end()
    return own[:at] + FENCE.format(nonce=nonce) + own[at:]
