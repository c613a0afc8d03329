"""The page on which a browser waits while the user decides in Conductor's window or at a terminal.

It has no form and no script: a decision can only be made in Conductor.
"""

import base64
import hashlib
from html import escape
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from conductor.mcp.remote.authorization_requests import AuthorizationRequest, AuthorizationRequests
from conductor.mcp.remote.provider import RemoteProvider

CONSENT_PATH = "/consent/"
REFRESH_S = 2
_STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
main { max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.35rem; font-weight: 600; }
.code { margin: 1.5rem 0; font: 600 2.6rem ui-monospace, monospace; letter-spacing: .12em; }
kbd { font: .95em ui-monospace, monospace; }
""".strip()
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; form-action 'none';"
    f" base-uri 'none'; style-src 'sha256-{_STYLE_HASH}'",
}


class _Texts(NamedTuple):
    title: str
    heading: str
    explanation: str
    enter: str
    wait: str
    gone_heading: str
    gone: str
    busy_heading: str
    busy: str


_ENGLISH = _Texts(
    title="Access to Conductor",
    heading="{client} asks for access to Conductor",
    explanation="Only you can allow this, in Conductor on the computer that you connect to.",
    enter="Enter this code in the window of Conductor, or run <kbd>conductor remote allow {code}</kbd> there.",
    wait="This page continues as soon as you have decided.",
    gone_heading="This request is closed",
    gone="The request was answered or has expired. Let the agent sign in again.",
    busy_heading="Too many agents ask for access",
    busy="Decide on those that wait, in the window of Conductor or with <kbd>conductor remote requests</kbd>."
    " Then let the agent sign in again, or do so in {seconds} seconds.",
)
_GERMAN = _Texts(
    title="Zugriff auf Conductor",
    heading="{client} bittet um Zugriff auf Conductor",
    explanation="Erlauben lässt sich das nur in Conductor, auf dem Computer, zu dem die Verbindung geht.",
    enter="Dort diesen Code im Fenster von Conductor eingeben, oder"
    " <kbd>conductor remote allow {code}</kbd> ausführen.",
    wait="Nach der Entscheidung geht es hier von selbst weiter.",
    gone_heading="Diese Anfrage ist abgeschlossen",
    gone="Die Anfrage ist beantwortet oder abgelaufen. Der Agent muss sich noch einmal anmelden.",
    busy_heading="Zu viele Agenten bitten um Zugriff",
    busy="Zuerst über die wartenden Anfragen entscheiden: im Fenster von Conductor oder mit"
    " <kbd>conductor remote requests</kbd>. Danach, oder in {seconds} Sekunden, kann sich der Agent noch einmal"
    " anmelden.",
)


class ConsentPage:
    """Answers the browser of a request: with the code while the user decides, then with a redirect."""

    def __init__(self, requests: AuthorizationRequests, provider: RemoteProvider) -> None:
        self._requests = requests
        self._provider = provider

    async def answer_browser(self, request: Request) -> Response:
        """Return the page with the code, or redirect the browser after the user's decision."""
        key = str(request.path_params["key"])
        texts = _choose_texts(request.headers.get("accept-language", ""))
        found = self._requests.find_request(key)
        if found is not None and found.view.state == "pending":
            return _render_waiting_page(texts, found)
        decided = self._requests.remove_request(key)
        if decided is None:
            body = f"<h1>{texts.gone_heading}</h1><p>{texts.gone}</p>"
            return HTMLResponse(_render_page(texts, body), status_code=404, headers=_HEADERS)
        address = await self._provider.finish_authorization(decided)
        return RedirectResponse(address, status_code=302, headers=_HEADERS)


def render_busy_page(accept_language: str, retry_after_s: int) -> Response:
    """Return the page for a browser whose request for access was refused because there are too many."""
    texts = _choose_texts(accept_language)
    text = texts.busy.format(seconds=retry_after_s)
    body = f"<h1>{texts.busy_heading}</h1><p>{text}</p>"
    headers = {**_HEADERS, "retry-after": str(retry_after_s)}
    return HTMLResponse(_render_page(texts, body), status_code=429, headers=headers)


def _render_waiting_page(texts: _Texts, request: AuthorizationRequest) -> Response:
    code = f"{request.user_code[:3]} {request.user_code[3:]}"
    body = (
        f"<h1>{texts.heading.format(client=escape(request.view.client))}</h1>"
        f"<p>{texts.explanation}</p>"
        f'<p class="code">{code}</p>'
        f"<p>{texts.enter.format(code=request.user_code)}</p><p>{texts.wait}</p>"
    )
    headers = {**_HEADERS, "refresh": str(REFRESH_S)}
    return HTMLResponse(_render_page(texts, body), headers=headers)


def _render_page(texts: _Texts, body: str) -> str:
    language = "de" if texts is _GERMAN else "en"
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{texts.title}</title><style>{_STYLE}</style></head><body><main>{body}</main></body></html>"
    )


def _choose_texts(accept_language: str) -> _Texts:
    """Return the texts in the browser's first language, or in English."""
    return _GERMAN if accept_language.strip().lower().startswith("de") else _ENGLISH
