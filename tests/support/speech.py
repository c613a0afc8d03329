"""Speech that espeak-ng synthesises, as a microphone records it: 16 kHz, with silence around it and noise."""

import importlib.util
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from conductor.voice.sound import SAMPLE_RATE_HZ, encode_wav

ESPEAK_RATE_HZ = 22_050
WAV_HEADER_LENGTH = 44
PAUSE_S = 0.3
VOICES = ("en-us", "en-gb", "en-us+f3", "en-gb+f2", "en-us+m3", "en-us+m7")
Samples = np.ndarray[tuple[int], np.dtype[np.float64]]


def require_speech() -> None:
    """Skip a test where nothing can speak or recognise speech, and say why."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng, which speaks, is not installed")
    if importlib.util.find_spec("pocketsphinx") is None:
        pytest.skip("PocketSphinx has no wheel for this version of Python")


def speak(
    text: str, voice: str = "en-us", *, speed: int = 150, snr_db: float = 25, seed: int = 0
) -> bytes:
    """Return a text as it is recorded: spoken by a voice, with white noise."""
    spoken = _synthesize(text, voice, speed)
    pause = np.zeros(int(PAUSE_S * SAMPLE_RATE_HZ))
    loudness = float(np.sqrt((spoken**2).mean()))
    recorded = np.concatenate([pause, spoken, pause])
    noise = np.random.default_rng(seed).normal(0, loudness * 10 ** (-snr_db / 20), len(recorded))
    return (recorded + noise).clip(-32_768, 32_767).astype("<i2").tobytes()


def speak_to_file(path: Path, text: str, voice: str = "en-us", **options: float) -> Path:
    path.write_bytes(encode_wav(speak(text, voice, **options)))  # pyright: ignore[reportArgumentType]
    return path


@cache
def _synthesize(text: str, voice: str, speed: int) -> Samples:
    command = ["espeak-ng", "-v", voice, "-s", str(speed), "--stdout", text]
    wav = subprocess.run(command, capture_output=True, check=True).stdout
    samples = np.frombuffer(wav[WAV_HEADER_LENGTH:], "<i2").astype(np.float64)
    wanted = int(len(samples) * SAMPLE_RATE_HZ / ESPEAK_RATE_HZ)
    return np.interp(
        np.arange(wanted) * ESPEAK_RATE_HZ / SAMPLE_RATE_HZ, np.arange(len(samples)), samples
    )
