"""What reads the meaning of texts reports nothing to its makers and leaves no id of this computer behind."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.running import REPOSITORY

from conductor.knowledge.chroma_process import build_process_environment

EMBED = """
import sys
from pathlib import Path
from conductor.knowledge.embedder import OnnxEmbedder
print(OnnxEmbedder(Path(sys.argv[1])).embed_texts(["pads"]).shape)
"""
MODEL = REPOSITORY / "knowledge" / "index" / "knowledge.onnx"


def test_the_model_runs_without_telemetry(tmp_path: Path) -> None:
    """With telemetry, `onnxruntime` keeps the computer's id and what it has to send in the user's cache."""
    places = ("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME", "TMPDIR")
    done = subprocess.run(
        [sys.executable, "-c", EMBED, str(MODEL)],
        env={**os.environ, **dict.fromkeys(places, str(tmp_path))},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("(1, 384)\n", "")
    assert list(tmp_path.rglob("*")) == []


def test_the_process_of_chromadb_has_telemetry_off() -> None:
    there = build_process_environment()
    assert (there["ORT_DISABLE_TELEMETRY"], there["ANONYMIZED_TELEMETRY"]) == ("1", "False")
