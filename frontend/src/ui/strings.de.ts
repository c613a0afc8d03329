/** German texts of `ui`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // ChangeRows.svelte
  nameAdded: "Name hinzugefügt",
  renamedFrom: (name) => `umbenannt, zuvor „${name}“`,
  nameRemoved: (name) => `Name „${name}“ entfernt`,
  changeKinds: {
    added: "Hinzugefügt",
    removed: "Entfernt",
    changed: "Geändert",
    moved: "Verschoben",
  },
  beforeAndAfter: "Vorher und nachher",

  // Combobox.svelte
  showChoices: (label) => `Auswahl anzeigen: ${label}`,
  unknownName: "Conductor kennt diesen Namen nicht, er kann aber verwendet werden.",
  noMatches: "Keine Treffer.",

  // Countdown.svelte
  expiresIn: "Läuft ab in",

  // Dialog.svelte
  close: "Schließen",

  // Diff.svelte
  textDiff: "Als Text",
  lineCount: (title, added, removed) =>
    `${title}: ${added} Zeilen hinzugefügt, ${removed} entfernt`,
  showAllLines: (count) => `Alle ${count} Zeilen anzeigen`,

  // ErrorState.svelte
  somethingWentWrong: "Etwas ist schiefgegangen",
  tryAgain: "Erneut versuchen",

  // MappingRow.svelte
  does: "bewirkt",

  // OutcomeBadge.svelte
  fired: "Ausgelöst",
  waiting: "Wartet",
  noMatch: "Kein Treffer",
  failed: "Fehler",
  mode: "Modus",
  released: "Losgelassen",
  info: "Info",
  no: "Nein",
  paused: "Angehalten",
  shadowed: "Verdeckt",

  // Parameters.svelte
  optional: ", optional",
  noArguments: "Keine Argumente.",

  // Raw.svelte
  invisibleCharacters: "Unsichtbare Zeichen",

  // RowBadges.svelte
  hold: "halten",
  double: "doppelt",
  chord: "Akkord",
  release: "loslassen",
  condition: "wenn",
  shell: "Shell",
  held: "gehalten",
  repeat: "Wdh.",
  steps: "Schritte",
  off: "aus",
  holdTip: "Löst aus, wenn lange genug gehalten",
  doubleTip: "Löst beim zweiten von zwei schnellen Drücken aus",
  chordTip: "Löst aus, wenn mehrere zusammen gedrückt werden",
  releaseTip: "Löst beim Loslassen aus",
  conditionTip: "Nur solange eine Bedingung erfüllt ist",
  shellTip: "Führt ein Programm mit den Rechten des Benutzers aus",
  whileHeldTip: "Bleibt gedrückt, solange das Bedienelement gehalten wird",
  repeatTip: "Wiederholt die Aktion",
  sequenceTip: "Führt mehrere Aktionen nacheinander aus",
  disabledTip: "Ausgeschaltet",

  // SearchField.svelte
  search: "Suchen",
  clearSearch: "Suche löschen",

  // Select.svelte
  choosePlaceholder: "Auswählen …",

  // SplitPane.svelte
  backToList: "Zurück zur Liste",

  // notes.svelte.ts
  virtualController: "Virtueller Controller",

  // Toaster.svelte
  notifications: "Mitteilungen",
  dismiss: "Ausblenden",
  shownTimes: (count) => `${count}-mal`,
  moreToasts: (count) => `${count} weitere`,

  // Values.svelte
  linesOfText: (count) => `${count} Zeilen Text`,
  copied: "Kopiert",
  copyOf: (label) => `Kopieren: ${label}`,

  // ViewFrame.svelte
  searchIn: (title) => `Suchen in ${title}`,

  // parameters.ts
  text: "Text",
  number: "Zahl",
  list: "Liste",
  object: "Objekt",
  nothing: "nichts",
  anything: "beliebig",
  wholeNumber: "ganze Zahl",
  yesOrNo: "ja oder nein",
  listOf: (kind) => `Liste: ${kind}`,
  ifOmitted: (value) => `Wenn nicht angegeben: ${value}.`,

  // platform.ts
  keys: {
    mod: "Strg",
    ctrl: "Strg",
    alt: "Alt",
    shift: "Umschalt",
    escape: "Esc",
    enter: "Eingabe",
    space: "Leertaste",
    tab: "Tab",
    backspace: "Rück",
    delete: "Entf",
    insert: "Einfg",
    home: "Pos1",
    end: "Ende",
    pageup: "Bild↑",
    pagedown: "Bild↓",
    capslock: "Feststell",
    printscreen: "Druck",
    menu: "Menü",
    volumeup: "Lauter",
    volumedown: "Leiser",
    mute: "Stumm",
    playpause: "Wiedergabe/Pause",
    play: "Wiedergabe",
    stop: "Stopp",
    next: "Nächster",
    previous: "Vorheriger",
    brightnessup: "Heller",
    brightnessdown: "Dunkler",
  },

  // Words.svelte
  quoted: (name) => `„${name}“`,

  // visible.ts
  andMore: (named, count) => `${named} und ${count} weitere`,
};
