/** German translations of push-to-talk (voice/, llm/transcriber.py). */

export const voice: readonly (readonly [english: string, german: string])[] = [
  [
    "PushToTalk listens only while a control is held: use a trigger that is held, such as a " +
      "pad or a button",
    "PushToTalk hört nur zu, solange ein Bedienelement gehalten wird: einen Trigger " +
      "verwenden, der gehalten wird, etwa ein Pad oder einen Knopf",
  ],
  [
    "Conductor is already listening: release the other control first.",
    "Conductor hört schon zu: erst das andere Bedienelement loslassen.",
  ],
  [
    "Conductor is not listening: hold the microphone button while you speak.",
    "Conductor hört nicht zu: beim Sprechen den Mikrofonknopf halten.",
  ],
  [
    "Speech is not recognised: switch on the recognition of names, or choose a " +
      "transcription, in Settings > Voice.",
    "Gesprochenes wird nicht erkannt: in Einstellungen > Spracheingabe das Erkennen von Namen " +
      "einschalten oder eine Transkription wählen.",
  ],
  [
    "No name of a mapping or mode was heard. Say one as it is written in the list of " +
      "mappings; to say anything else, choose a transcription in Settings > Voice.",
    "Es wurde kein Name eines Mappings oder Modus gehört. Einen so sagen, wie er in der " +
      "Liste der Mappings steht; für alles andere in Einstellungen > Spracheingabe eine " +
      "Transkription wählen.",
  ],
  [
    "No words were heard: speak closer to the microphone, and hold the control until the end.",
    "Es wurden keine Wörter gehört: näher am Mikrofon sprechen und bis zum Ende halten.",
  ],
  [
    "Nothing was said: hold the control while you speak, and release it afterwards.",
    "Es wurde nichts gesagt: beim Sprechen halten und danach loslassen.",
  ],
  [
    "The microphone recorded only silence: check that it is switched on, not muted, and " +
      "chosen in the sound settings, and that Conductor may use it (macOS: Privacy & Security " +
      "> Microphone).",
    "Das Mikrofon hat nur Stille aufgenommen: prüfen, ob es eingeschaltet, nicht " +
      "stummgeschaltet und in den Klangeinstellungen gewählt ist und ob Conductor es verwenden " +
      "darf (macOS: Datenschutz & Sicherheit > Mikrofon).",
  ],
  [
    "The microphone does not respond: unplug it and plug it in again, or restart the sound server.",
    "Das Mikrofon antwortet nicht: es aus- und wieder einstecken oder den Klangserver neu starten.",
  ],
  [
    "No microphone was found: plug one in, and choose it as the input in the sound settings " +
      "of the system.",
    "Kein Mikrofon gefunden: eines anschließen und in den Klangeinstellungen des Systems als " +
      "Eingang wählen.",
  ],
  [
    "No sound server responds: start PulseAudio or PipeWire (pipewire-pulse), or set PULSE_SERVER.",
    "Kein Klangserver antwortet: PulseAudio oder PipeWire (pipewire-pulse) starten oder " +
      "PULSE_SERVER setzen.",
  ],
  [
    "Recording ended unexpectedly. Hold the control again; if this happens again, choose " +
      "another microphone in Settings > Voice.",
    "Die Aufnahme endete unerwartet. Noch einmal halten; wenn es wieder geschieht, in " +
      "Einstellungen > Spracheingabe ein anderes Mikrofon wählen.",
  ],
  [
    "No microphone is called `{name}`: connected are {text}. Choose one in Settings > Voice.",
    "Kein Mikrofon heißt `{name}`: Angeschlossen sind {text}. In Einstellungen > Spracheingabe " +
      "eines " +
      "wählen.",
  ],
  [
    "Recording needs libpulse: install it (Debian: libpulse0), then hold the control again.",
    "Zum Aufnehmen fehlt libpulse: es installieren (Debian: libpulse0) und noch einmal halten.",
  ],
  [
    "No provider can transcribe speech: add OpenAI, LiteLLM or an OpenAI-compatible server " +
      "in Settings > Providers, or name a local server in Settings > Voice.",
    "Kein Anbieter kann Sprache transkribieren: in Einstellungen > Anbieter OpenAI, " +
      "LiteLLM oder einen OpenAI-kompatiblen Server hinzufügen oder in Einstellungen > " +
      "Spracheingabe " +
      "einen lokalen Server angeben.",
  ],
  [
    "Names are recognised with PocketSphinx, which is not installed: `pip install " +
      '"conductor-midi[voice]"` (Python 3.11 to 3.13), or choose a transcription in Settings > ' +
      "Voice.",
    "Namen werden mit PocketSphinx erkannt, das nicht installiert ist: `pip install " +
      '"conductor-midi[voice]"` (Python 3.11 bis 3.13), oder in Einstellungen > Spracheingabe ' +
      "eine " +
      "Transkription wählen.",
  ],
  [
    "The system does not let Conductor use the microphone: allow it in the privacy settings of " +
      "the system (macOS: Privacy & Security > Microphone; Windows: Privacy > Microphone), then " +
      "restart Conductor.",
    "Das System lässt Conductor das Mikrofon nicht verwenden: es in den " +
      "Datenschutzeinstellungen des Systems erlauben (macOS: Datenschutz & Sicherheit > " +
      "Mikrofon; Windows: Datenschutz > Mikrofon) und Conductor neu starten.",
  ],
  [
    "The microphone cannot be opened: {text}. Close other programs that use it, check it in the " +
      "sound settings of the system, and hold the control again.",
    "Das Mikrofon lässt sich nicht öffnen: {text}. Andere Programme schließen, die es " +
      "verwenden, es in den Klangeinstellungen des Systems prüfen und noch einmal halten.",
  ],
  [
    "Recording cannot be started ({text}): close other programs and try again, or restart " +
      "Conductor.",
    "Die Aufnahme lässt sich nicht starten ({text}): andere Programme schließen und es noch " +
      "einmal versuchen oder Conductor neu starten.",
  ],
  [
    "No server is set: enter its address in Settings > Voice, such as http://127.0.0.1:8000/v1.",
    "Kein Server ist angegeben: in Einstellungen > Spracheingabe seine Adresse eintragen, etwa " +
      "http://127.0.0.1:8000/v1.",
  ],
  [
    "{name} is switched off or has no key: change that in Settings > Providers.",
    "{name} ist ausgeschaltet oder hat keinen Schlüssel: das in Einstellungen > Anbieter ändern.",
  ],
  [
    "{name} does not transcribe speech: choose a provider with OpenAI's transcription API or a " +
      "local server in Settings > Voice.",
    "{name} kann keine Sprache transkribieren: in Einstellungen > Spracheingabe einen " +
      "Anbieter mit der Transkriptions-API von OpenAI oder einen lokalen Server wählen.",
  ],
];
