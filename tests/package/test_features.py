"""Features of the packaged app whose libraries load only when they are used: a manual, agents, the microphone."""

import asyncio
import json
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest
from tests.mcp.a2a.clients import a2a_config
from tests.mcp.test_http import WITHOUT_PARTS, answers, free_port
from tests.package.test_package import ONE_FOLDER, conductor, environment
from tests.support.manual_files import write_minitaur
from tests.support.pulse import PulseServer, pulse_server
from tests.support.running import wait_for
from tests.support.speech import require_speech, speak_to_file

from conductor.voice.host import VoiceHost

pytestmark = [pytest.mark.package, pytest.mark.timeout(300)]


def test_a_manual_is_read_and_searched(tmp_path: Path):
    manual = write_minitaur(tmp_path / "minitaur.pdf")
    added = conductor(ONE_FOLDER, tmp_path, "knowledge", "add", str(manual))
    assert added.returncode == 0, added.stderr
    question = "filter cutoff of the Minitaur"
    found = conductor(ONE_FOLDER, tmp_path, "knowledge", "search", question, "-k", "1")
    assert "Filter cutoff: CC 19" in found.stdout, found.stderr


def test_agents_here_and_on_other_computers_are_served(tmp_path: Path):
    a2a_port, remote_port = free_port(), free_port()
    remote = f"[llm.mcp]\nremote_enabled = true\nremote_port = {remote_port}\n"
    (tmp_path / "config.toml").write_text(a2a_config(a2a_port) + remote)
    with subprocess.Popen(
        [ONE_FOLDER, "run", "--headless", "--quiet"],
        cwd=tmp_path,
        env={**environment(tmp_path), **WITHOUT_PARTS},
    ) as process:
        try:
            wait_for(lambda: answers(a2a_port) and answers(remote_port), bool, 60)
            card = f"http://127.0.0.1:{a2a_port}/.well-known/agent-card.json"
            with urllib.request.urlopen(card, timeout=20) as answer:
                assert json.loads(answer.read())["name"] == "Conductor MIDI Mapper"
            status = conductor(ONE_FOLDER, tmp_path, "remote", "status", "--json")
            assert str(remote_port) in json.loads(status.stdout)["address"], status.stderr
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 0


@pytest.mark.pulse
@pytest.mark.speech
def test_a_spoken_name_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    require_speech()
    spoken = speak_to_file(tmp_path / "said.wav", "mute microphone")
    monkeypatch.setattr("conductor.base.child.build_command", lambda: [str(ONE_FOLDER)])

    async def say(pulse: PulseServer) -> str | None:
        host = VoiceHost()
        try:
            await host.listen("", 30)
            await asyncio.to_thread(pulse.say, spoken)
            heard = await host.finish(
                ("Mute microphone", "Next track"), wants_sound=False, is_strict=False
            )
            return heard.name
        finally:
            await host.close()

    with pulse_server(tmp_path, has_microphone=True) as pulse:
        for name, value in pulse.environment.items():
            monkeypatch.setenv(name, value)
        assert asyncio.run(say(pulse)) == "Mute microphone"
