"""Where a sign-in may lead: a server on the internet names addresses, and Conductor asks them."""

import pytest

from conductor.errors import NotAvailable
from conductor.mcp.host.kept_sign_in import check_address

SERVER = "https://mcp.example.com/mcp"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "app.localhost",
        "router.local",
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00::1]",
    ],
)
def test_a_server_on_the_internet_leads_nobody_into_the_users_own_network(host: str) -> None:
    with pytest.raises(NotAvailable, match="your own network"):
        check_address(f"https://{host}/token", SERVER)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://a.example/x", "javascript:1"])
def test_what_is_no_address_of_the_web_is_refused(address: str) -> None:
    with pytest.raises(NotAvailable, match="without encryption"):
        check_address(address, SERVER)


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("https://login.example.com/token", SERVER),
        ("https://93.184.215.14/token", SERVER),
        ("https://192.168.1.2/token", "https://192.168.1.1/mcp"),
        ("http://127.0.0.1:9000/token", "http://localhost:8000/mcp"),
    ],
)
def test_a_sign_in_may_lead_to_the_internet_and_stay_in_the_users_network(
    address: str, server: str
) -> None:
    assert check_address(address, server)
