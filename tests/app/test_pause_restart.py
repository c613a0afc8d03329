"""A pause outlives a restart, so that nothing acts only because Conductor was restarted."""

from tests.support.page import Page
from tests.support.running import running_conductor, short_home


def test_a_pause_outlives_a_restart_and_is_shown() -> None:
    with short_home() as home:
        with (
            running_conductor("", home=home, with_page=True) as conductor,
            Page(conductor.address()) as page,
        ):
            page.call("engine.pause", paused=True)
            page.wait_status(paused=True)
            assert "but paused" in conductor.cli("status").stdout
        with (
            running_conductor(None, home=home, with_page=True) as conductor,
            Page(conductor.address()) as page,
        ):
            page.wait_status(paused=True)
            page.call("engine.pause", paused=False)
            page.wait_status(paused=False)
        with running_conductor(None, home=home) as conductor:
            assert "but paused" not in conductor.cli("status").stdout
