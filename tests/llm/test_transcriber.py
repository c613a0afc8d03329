"""Recorded speech becomes text through a real HTTP server with OpenAI's transcription API."""

import asyncio
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.edge_llm import EdgeServer, Reply, edge_server, error

from conductor.app.llm_services import LlmServices
from conductor.domain.config import Config
from conductor.errors import NotAvailable
from conductor.llm.transcriber import Transcriber
from conductor.storage.records import Records

WAV = b"RIFF-a-recording"


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as server:
        yield server


def answer(text: str) -> Reply:
    return Reply([json.dumps({"text": text}).encode()], content_type="application/json")


def transcribe(home: Path, voice: dict[str, Any], llm: dict[str, Any] | None = None) -> str:
    config = Config.model_validate({"settings": {"voice": voice}, "llm": llm or {}})
    llm_services = LlmServices(home, lambda: config.llm, Records(None, lambda _text: None, None))
    transcriber = Transcriber(lambda: config, lambda: llm_services)
    return asyncio.run(transcriber.transcribe(WAV))


def test_a_local_server_gets_the_recording_and_no_key(
    edge: EdgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-another")
    edge.reply(answer(" Schalte das\n Licht\u200b aus. "))
    voice = {
        "transcription": "server",
        "server": f"{edge.url}/v1",
        "model": "tiny",
        "language": "de",
    }
    assert transcribe(tmp_path, voice) == "Schalte das Licht aus."
    [asked] = edge.asked
    assert asked.path == "/v1/audio/transcriptions"
    sent: bytes = asked.body["multipart"]
    assert all(part in sent for part in (WAV, b"tiny", b'"language"', b"de", b"speech.wav"))
    assert "secret" not in asked.headers["authorization"]


def test_the_chosen_provider_gets_its_own_key(
    edge: EdgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MY_KEY", "sk-of-the-lab")
    edge.reply(answer("hello"))
    providers = {
        "claude": {"kind": "anthropic", "api_key_env": "MY_KEY"},
        "lab": {"kind": "litellm", "base_url": edge.url, "api_key_env": "MY_KEY"},
    }
    assert transcribe(tmp_path, {"transcription": "provider"}, {"providers": providers}) == "hello"
    assert edge.asked[0].headers["authorization"] == "Bearer sk-of-the-lab"
    assert b'"language"' not in edge.asked[0].body["multipart"]


@pytest.mark.parametrize(
    ("voice", "llm", "reason"),
    [
        ({"transcription": "server"}, {}, "No server is set: enter its address"),
        ({"transcription": "provider"}, {}, "No provider can transcribe speech: add OpenAI"),
        ({"transcription": "provider"}, {"enabled": False}, "while `llm.enabled` is false"),
        ({"transcription": "provider", "provider": "x"}, {}, "No provider is called `x`: change"),
        (
            {"transcription": "provider", "provider": "anthropic"},
            {},
            "Anthropic does not transcribe",
        ),
        (
            {"transcription": "provider", "provider": "openai"},
            {},
            "OpenAI is switched off or has no key",
        ),
        (
            {"transcription": "server", "server": "http://127.0.0.1:9/v1"},
            {},
            "The speech server does not answer at",
        ),
    ],
)
def test_a_missing_transcription_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, voice: Any, llm: Any, reason: str
):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NotAvailable, match=reason):
        transcribe(tmp_path, voice, llm)


def test_a_server_without_transcription_and_one_that_refuses_are_told_apart(
    edge: EdgeServer, tmp_path: Path
):
    voice = {"transcription": "server", "server": f"{edge.url}/v1"}
    edge.reply(error(404, "not found"), error(401, "bad key"))
    with pytest.raises(
        NotAvailable, match=r"does not transcribe speech at .* check `settings.voice.model`"
    ):
        transcribe(tmp_path, voice)
    with pytest.raises(NotAvailable, match="requires a key"):
        transcribe(tmp_path, voice)
