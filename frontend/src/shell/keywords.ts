/** The other words by which entries of the command palette are found. */

// The other words are in both languages, because many look for the English word in a German window.
export const VIEW_KEYWORDS: Record<string, string> = {
  mappings:
    "mapping assign bind shortcut delete remove zuweisung zuordnung belegung tastenkürzel " +
    "löschen entfernen",
  chat: "assistant ai llm model ask assistent ki modell fragen",
  controller: "pads knobs faders picture layout virtual bild pult regler virtueller",
  learn: "midi learn detect lernen erkennen anlernen",
  monitor: "events input debug why ereignisse eingaben protokoll warum",
  plans: "approve proposals changes agents vorschläge genehmigen anwenden agenten",
  modes: "layers banks scenes ebenen bänke szenen modus",
  profiles: "apps foreground app-specific programme anwendungen vordergrund",
  devices: "midi gamepad joystick keyboard port connect usb bluetooth geräte anschluss verbinden",
  history: "versions undo restore versionen wiederherstellen rückgängig",
  activity: "audit log problems errors protokoll probleme fehler",
  knowledge: "documents sources manuals help dokumente quellen handbücher hilfe wissen",
  settings: "preferences options config configuration einstellungen optionen konfiguration",
};
export const MODE_KEYWORDS = "mode modus";
export const COMMAND_KEYWORDS: Record<string, string> = {
  map: "map a control assign bind create add neu neues zuweisen anlegen hinzufügen belegen",
  mode: "new add mode create layer bank scene neuer modus hinzufügen anlegen ebene",
  profile: "new add profile create app program neues profil hinzufügen anlegen programm",
  backup:
    "back up backup back-up export save copy config restore sichern sicherung exportieren kopie",
  panic: "midi panik stuck notes keys stop all off hängende noten tasten stopp",
  pause: "stop disable halt anhalten stoppen",
  undo: "revert back zurücknehmen",
  sheet: "print pdf export drucken ausdruck spickzettel",
  first: "tutorial help start onboarding hilfe einführung anleitung",
  rescan: "refresh devices midi gamepad neu suchen aktualisieren",
  keys: "hotkeys help tastatur hilfe",
  dark: "night appearance design dunkel",
  light: "day appearance design hell",
  language: "language sprache",
  german: "language sprache german deutsch",
  english: "language sprache english englisch",
};
/** By the name of the title in the strings. */
export const SETTINGS_KEYWORDS: Record<string, string> = {
  settingsGeneral:
    "general preferences theme language tray login window allgemein design sprache fenster start",
  settingsInput:
    "engine midi osc port virtual shell desktop keys permission recording learn tasten " +
    "aufzeichnung",
  settingsConfigFile:
    "config toml export import copy restore exportieren importieren kopie umziehen " +
    "wiederherstellen konfiguration datei",
  settingsVoice:
    "voice microphone mic speech speak talk say dictate dictation push-to-talk " +
    "transcription whisper headset listen mikrofon mikro stimme sprechen sprich reden " +
    "sagen diktieren spracherkennung spracheingabe verschriftung zuhören kopfhörer",
  settingsAgents: "mcp agent agents claude cursor http token approval agenten genehmigung",
  settingsRemote:
    "remote access phone mobile tablet laptop network lan wifi internet oauth sign-in " +
    "login tls https certificate fingerprint agent agents fernzugriff zugriff handy " +
    "telefon netzwerk wlan anmelden anmeldung zertifikat fingerabdruck agenten",
  settingsA2a: "a2a agent agents card token tasks http agenten aufgaben",
  settingsProviders:
    "provider api key model llm openai ollama cost budget key storage passphrase anbieter " +
    "schlüssel schlüsselspeicher passwort modell kosten",
  settingsTools:
    "assistant tools permissions web files code assistent werkzeuge berechtigungen " +
    "dateien rechte",
  settingsServers:
    "mcp server integrations plugins obs scene stream home assistant integrationen szene " +
    "erweiterungen",
  settingsKnowledge: "knowledge sources documents index wissen quellen dokumente",
  settingsManuals:
    "manual manuals pdf handbook instructions synth synthesizer documents files upload " +
    "add anleitung anleitungen handbuch handbücher bedienungsanleitung dokumente dateien " +
    "hochladen hinzufügen",
  settingsSkills: "skill skills agent install fähigkeiten installieren",
};
/** The words with which people ask to be led somewhere, which no entry must contain. */
const LEADING_WORDS = new Set(
  "switch go to open show the wechseln wechsle gehe zu zum zur öffnen öffne zeige".split(" "),
);

/** Return the words of a query that name what is looked for: all of them if none does. */
export function dropLeadingWords(words: readonly string[]): readonly string[] {
  const names = words.filter((word) => !LEADING_WORDS.has(word));
  return names.length ? names : words;
}
