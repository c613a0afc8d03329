"""conductor.db of a running Conductor, when it comes to harm."""

import json

from tests.support.running import mapped, running_conductor, wait_for

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
FIRST, SECOND = mapped(), mapped(more="[[modes]]\nname = 'Second'\n")


def test_a_damaged_file_is_replaced_for_app_and_command_line_and_undo_goes_on():
    with running_conductor(FIRST, environment=WITHOUT_PARTS) as conductor:
        path = conductor.home / "conductor.db"
        wait_for(path.exists, bool)

        def tools_in_audit() -> list[str]:
            conductor.status()
            return [row["tool"] for row in json.loads(conductor.cli("audit", "--json").stdout)]

        def versions() -> str:
            return conductor.cli("history", "--json").stdout

        wait_for(tools_in_audit, bool)
        garbage = conductor.home / "garbage"
        garbage.write_bytes(b"not a database " * 900)
        garbage.replace(path)
        conductor.wait_status(
            lambda status: "was damaged and has been renamed" in str(status["notices"])
        )
        wait_for(tools_in_audit, lambda tools: "conductor_get_status" in tools)
        wait_for(versions, lambda text: '"start"' in text)
        conductor.use(SECOND)
        assert conductor.cli("undo").returncode == 0
        conductor.wait_until_active(FIRST)
