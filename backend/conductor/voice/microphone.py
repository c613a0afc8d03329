"""Records from a microphone with SoundCard: PulseAudio or PipeWire on Linux, Core Audio, WASAPI.

The library connects to the sound system when it is imported, so it is imported on the first recording.
"""

import threading
from collections.abc import Callable
from typing import Any

from conductor.errors import NotAvailable
from conductor.voice.sound import SAMPLE_RATE_HZ

BLOCK_FRAMES = SAMPLE_RATE_HZ // 20
"""The frames that are read at once, 50 ms: the microphone is closed at most this long after the release."""
NO_MICROPHONE_MESSAGE = (
    "No microphone was found: plug one in, and choose it as the input in the sound settings of the"
    " system."
)
NO_SOUND_SERVER_MESSAGE = (
    "No sound server responds: start PulseAudio or PipeWire (pipewire-pulse), or set PULSE_SERVER."
)
NO_LIBRARY_MESSAGE = (
    "Recording needs libpulse: install it (Debian: libpulse0), then hold the control again."
)
REFUSED_MESSAGE = (
    "The system does not let Conductor use the microphone: allow it in the privacy settings of the system"
    " (macOS: Privacy & Security > Microphone; Windows: Privacy > Microphone), then restart Conductor."
)


def record_samples(
    wanted_name: str,
    should_stop: threading.Event,
    max_s: float,
    on_open: Callable[[], None],
) -> bytes:
    """Record until `should_stop` is set, or for `max_s` seconds; return 16-bit mono samples.

    `on_open` is called once the microphone delivers sound. The microphone is closed in any case.

    Raises:
        NotAvailable: There is no microphone, or it may not be used; the message says what to do.
    """
    microphone = _find_microphone(wanted_name)
    blocks: list[bytes] = []
    remaining = int(max_s * SAMPLE_RATE_HZ)
    try:
        with microphone.recorder(
            samplerate=SAMPLE_RATE_HZ, channels=1, blocksize=BLOCK_FRAMES
        ) as recorder:
            while remaining > 0:
                block = recorder.record(numframes=min(BLOCK_FRAMES, remaining))
                if not blocks:
                    on_open()
                remaining -= len(block)
                blocks.append(_convert_block(block))
                # After the block, because the last word is still in the buffer of the sound system
                # when the control is released.
                if should_stop.is_set():
                    break
    except (RuntimeError, OSError, AssertionError) as error:
        raise NotAvailable(_explain_failure(error)) from error
    return b"".join(blocks)


def list_microphones() -> list[str]:
    """Return the names of the connected microphones, the default one first.

    Raises:
        NotAvailable: There is none, or the sound system cannot be used; the message says what to do.
    """
    return [str(one.name) for one in _find_microphones()]


def _find_microphone(wanted_name: str) -> Any:
    found = _find_microphones()
    if not wanted_name:
        return found[0]
    wanted = wanted_name.casefold()
    for one in found:
        if wanted in str(one.name).casefold():
            return one
    names = ", ".join(f"`{one.name}`" for one in found)
    raise NotAvailable(
        f"No microphone is called `{wanted_name}`: connected are {names}. Choose one in Settings > Voice."
    )


def _find_microphones() -> list[Any]:
    """Return the microphones, the default one first.

    The default source may be the monitor of an output, which records what the computer plays; PulseAudio
    chooses it if there is no microphone.
    """
    library = _import_library()
    try:
        found = list(library.all_microphones(include_loopback=False))
        default = str(library.default_microphone().id) if found else ""
    except (RuntimeError, OSError, AssertionError, IndexError) as error:
        raise NotAvailable(_explain_failure(error)) from error
    if not found:
        raise NotAvailable(NO_MICROPHONE_MESSAGE)
    return sorted(found, key=lambda one: str(one.id) != default)


def _import_library() -> Any:
    try:
        import soundcard
    except OSError as error:
        raise NotAvailable(NO_LIBRARY_MESSAGE) from error
    except (AssertionError, RuntimeError) as error:
        raise NotAvailable(NO_SOUND_SERVER_MESSAGE) from error
    except ImportError as error:
        raise NotAvailable(
            "Recording needs the package SoundCard: install Conductor again, or `pip install SoundCard`."
        ) from error
    return soundcard


def _explain_failure(error: Exception) -> str:
    """Return a sentence for the user about an error of the sound system."""
    text = str(error)
    # WASAPI says E_ACCESSDENIED; PulseAudio and the portal of sandboxed apps say "Access denied".
    if "80070005" in text or "denied" in text.casefold():
        return REFUSED_MESSAGE
    return (
        f"The microphone cannot be opened: {text or type(error).__name__}. Close other"
        " programs that use it, check it in the sound settings of the system, and hold the control again."
    )


def _convert_block(block: Any) -> bytes:
    """Return a block of floating-point samples from -1 to 1 as 16-bit samples."""
    scaled = (block.reshape(-1) * 32_767).clip(-32_768, 32_767)
    return scaled.astype("<i2").tobytes()
