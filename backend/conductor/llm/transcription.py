"""Turns recorded speech into text through OpenAI's transcription API, which local servers also implement."""

from openai import omit

from conductor.base.invisible_chars import remove_hidden
from conductor.errors import NotAvailable
from conductor.llm.clients import ClientAddress, open_transcription_client
from conductor.llm.failures import FailureContext
from conductor.llm.problems import read_http_status

MAX_TEXT_LENGTH = 4_000


async def transcribe_speech(address: ClientAddress, wav: bytes, model: str, language: str) -> str:
    """Return what is said in a WAV file, in one line.

    Raises:
        NotAvailable: The provider or server did not transcribe it; the message says what to do.
    """
    context = FailureContext(address.name, model, address.base_url, address.key, address.kind)
    client = open_transcription_client(address)
    try:
        answer: object = await client.audio.transcriptions.create(
            file=("speech.wav", wav, "audio/wav"), model=model, language=language or omit
        )
    except Exception as error:
        if read_http_status(error) in (404, 405):
            raise NotAvailable(
                f"{address.name} does not transcribe speech at {address.base_url} with the model `{model}`:"
                " check `settings.voice.model`, or choose another provider or a local server in"
                " Settings > Voice."
            ) from error
        raise NotAvailable(context.convert_error(error).message) from error
    finally:
        await client.close()
    # A server may answer with anything; only text of a sensible length becomes a message.
    text = answer if isinstance(answer, str) else str(getattr(answer, "text", ""))
    return " ".join(remove_hidden(text[:MAX_TEXT_LENGTH]).split())
