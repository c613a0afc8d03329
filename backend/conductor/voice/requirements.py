"""What the recognition of names needs. The app process imports this module, so it imports nothing large."""

NO_RECOGNIZER_MESSAGE = (
    'Names are recognised with PocketSphinx, which is not installed: `pip install "conductor-midi[voice]"`'
    " (Python 3.11 to 3.13), or choose a transcription in Settings > Voice."
)
