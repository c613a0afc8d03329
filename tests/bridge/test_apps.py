"""The pages of MCP servers and the sandbox, as the page's server serves them, and commands for servers that are not there."""

import urllib.error
import urllib.request

import pytest
from tests.support.page import CommandFailed, Page

from conductor.bridge.app_pages import MAX_STORED_PAGES, AppPages, insert_protection

pytestmark = pytest.mark.timeout(60)


def headers(page: Page, path: str) -> dict[str, str]:
    try:
        with urllib.request.urlopen(page.origin + path, timeout=10) as answer:
            return {name.lower(): value for name, value in answer.headers.items()}
    except urllib.error.HTTPError as error:
        with error:
            return {name.lower(): value for name, value in error.headers.items()}


def test_a_tool_without_a_page_has_none_and_a_server_that_does_not_run_answers_nothing(
    page: Page,
) -> None:
    assert page.call("apps.open", tool="conductor_get_status")["path"] is None
    assert page.call("apps.open", tool="mcp:nobody:nothing")["path"] is None
    with pytest.raises(CommandFailed, match="start it in Settings > MCP servers"):
        page.call("apps.call", server="nobody", tool="nothing")
    with pytest.raises(CommandFailed, match="start it in Settings > MCP servers"):
        page.call("apps.read", server="nobody", uri="ui://x")


@pytest.mark.parametrize("path", ["/", "/sandbox/../index.html", "/sandboxed", "/appsy", "/apps"])
def test_everything_else_keeps_the_policy_of_the_page(page: Page, path: str) -> None:
    told = headers(page, path)
    assert told["x-frame-options"] == "DENY"
    assert told["content-security-policy"].startswith("default-src 'none'; script-src 'self';")


@pytest.mark.parametrize("name", ["python.html", "javascript.html", "frame.js", "common.js"])
def test_the_sandbox_is_framed_by_the_page_alone_and_has_no_origin(page: Page, name: str) -> None:
    told = headers(page, f"/sandbox/{name}")
    policy = told["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'; ")
    assert policy.endswith(f"frame-ancestors {page.origin}")
    assert "same-origin" not in policy
    assert ("connect-src 'none'" in policy) == (name == "javascript.html")


def test_a_page_that_nobody_kept_is_not_there(page: Page) -> None:
    assert "content-security-policy" not in headers(page, "/apps/guessed")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{page.origin}/apps/guessed", timeout=10)


def test_the_fence_comes_before_the_first_script_and_after_the_type_of_the_document() -> None:
    html = "\n<!DOCTYPE html><html><SCRIPT>a()</SCRIPT><script type=module>b()</script><scripted>"
    own = insert_protection(html, "n0")
    assert own.startswith("\n<!DOCTYPE html><script nonce=n0>\nfor ")
    assert own.index("RTCPeerConnection") < own.index("a()") < own.index("b()")
    assert own.count("nonce=n0") == 3
    assert own.endswith("<scripted>")
    assert "<template data-shadowrootmode" in insert_protection(
        "<template ShadowRootMode=open>", "n0"
    )


def test_only_so_many_pages_are_kept_and_no_two_have_one_address() -> None:
    pages = AppPages()
    assert len({pages.store_page("x") for _ in range(MAX_STORED_PAGES + 5)}) == MAX_STORED_PAGES + 5
