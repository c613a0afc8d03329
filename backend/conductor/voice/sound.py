"""The sound format of recordings, and what is checked about them."""

import array
import io
import math
import sys
import wave

SAMPLE_RATE_HZ = 16_000
BYTES_PER_SAMPLE = 2
MIN_SPEECH_S = 0.2
"""The shortest recording that can contain a word; a shorter one is a control that was only tapped."""


def encode_wav(samples: bytes) -> bytes:
    """Return samples (16 bit, little-endian, mono) as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(BYTES_PER_SAMPLE)
        writer.setframerate(SAMPLE_RATE_HZ)
        writer.writeframes(samples)
    return file.getvalue()


def measure_seconds(samples: bytes) -> float:
    return len(samples) / BYTES_PER_SAMPLE / SAMPLE_RATE_HZ


def measure_peak_db(samples: bytes) -> float:
    """Return the loudest sample in dB relative to full scale; -inf for digital silence."""
    values = array.array("h", samples)
    if sys.byteorder == "big":
        values.byteswap()
    peak = max((abs(value) for value in values), default=0)
    return 20 * math.log10(peak / 32_768) if peak else -math.inf
