/** German texts of `features/monitor`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // EventList.svelte
  events: "Ereignisse",
  noMatchingEvents: "Keine passenden Ereignisse",
  filterHidesAllEvents: "Der Filter blendet alle Ereignisse aus.",
  showAll: "Alle anzeigen",
  paused: "Liste angehalten",
  showsNewEvents: "Neue Ereignisse erscheinen sofort.",
  pausedBySelection: "Liste angehalten, solange ein Ereignis ausgewählt ist",
  pausedByScrolling: "Liste angehalten, solange frühere Ereignisse zu sehen sind",
  newEventCount: (count) => `${count} neu`,

  // EventRow.svelte
  newestOf: (count) => `${count} Werte; dies ist der neueste`,
  mapThisControl: "Dieses Bedienelement zuweisen",
  why: "Warum?",

  // Timeline.svelte
  timeline: "Zeitleiste",
  now: "jetzt",
  secondsBefore: (seconds) => `${seconds} s`,

  // Toolbar.svelte
  fired: "Ausgelöst",
  firedHint: "Eine Aktion wurde ausgeführt",
  waiting: "Wartet",
  waitingHint: "Halten, Doppeltippen oder ein Akkord ist noch möglich",
  noMatch: "Kein Treffer",
  noMatchHint: "Kein Mapping passte",
  failed: "Fehler",
  failedHint: "Die Aktion ist fehlgeschlagen",
  mode: "Modus",
  modeHint: "Der Modus hat gewechselt",
  released: "Losgelassen",
  releasedHint: "Nach einem Druck losgelassene Bedienelemente",
  info: "Info",
  infoHint: "Fristen, beendete Aktionen, App im Vordergrund",
  allDevices: "Alle Geräte",
  filterByOutcome: "Nach Ergebnis filtern",
  device: "Gerät",
  showAllControls: "Alle Bedienelemente anzeigen",
  touchControlNow: "Bedienelement jetzt berühren …",
  touchAControl: "Bedienelement berühren",

  // Why.svelte
  close: "Schließen",
  conductor: "Conductor",
  value: (value) => `Wert ${value}`,
  loadingTheExplanation: "Erklärung wird geladen",
  verdict: "Ergebnis",
  nearestMapping: "Nächstliegendes Mapping",
  otherMappings: "Andere Mappings dieses Bedienelements",
  does: "macht",
  engineSteps: "Schritt für Schritt",
  couldNotExplainEvent: "Das Ereignis konnte nicht erklärt werden",
  yes: "ja",
  no: "nein",
  undecided: "unentschieden",
  showMapping: "Mapping anzeigen",

  // decode.ts
  noteOn: "Note an",
  noteOff: "Note aus",
  cc: "CC",
  nrpn: "NRPN",
  rpn: "RPN",
  keyPressure: "Tastendruck",
  pressure: "Druck",
  pitchBend: "Pitchbend",
  program: "Programm",
  programNumber: (number) => `Programm ${number}`,
  sysex: "SysEx",
  buttonDown: "Taste gedrückt",
  buttonUp: "Taste losgelassen",
  stick: "Stick",
  trigger: "Trigger",
  osc: "OSC",
  deviceDisconnected: "Gerät getrennt",
  deviceConnected: "Gerät verbunden",
  clock: "Clock",
  transport: "Transport",
  appInForeground: "App im Vordergrund",
  actionEnded: "Aktion beendet",
  timePassed: "Zeit abgelaufen",
  ch: (channel) => `Kanal ${channel}`,
  bytesCount: (count) => `${count} Byte`,
  number: (number) => `Nummer ${number}`,
  valueOf: (value) => `Wert ${value}`,
  channel: (channel) => `Kanal ${channel}`,
  bytes: (bytes) => `Bytes ${bytes}`,

  // remedies.ts
  unmuteDevice: "Stummschaltung aufheben",
  resumeMappings: "Mappings fortsetzen",
  switchToMode: (mode) => `Zum Modus ${mode} wechseln`,
  switchOn: "Einschalten",
  switchedOn: (mapping) => `${mapping} eingeschaltet`,
  showProfile: "Profil anzeigen",
  editMapping: "Mapping bearbeiten",

  // filter.ts
  modeResult: (mode) => (mode ? `Modus ${mode}` : "Modus wechselt"),
  nothingMapped: "in diesem Modus nicht zugewiesen",
  switchedOff: (mapping) => `ausgeschaltet: ${mapping}`,
  mappedOnDevice: (device) => `nur auf ${device} zugewiesen`,
  mappedOnChannel: (channel) => `nur auf Kanal ${channel} zugewiesen`,
  mappedIn: (places) => `nur in ${places} zugewiesen`,
  morePlaces: (count) => `${count} weiteren`,
  test: "Test einer Aktion",
  onDevice: (control, device) => `${control} an ${device}`,

  // MonitorView.svelte
  monitor: "Monitor",
  rate: (count) => `${count} Ereignisse/s`,
  note: "Eingaben und was sie auslösen",
  skippedHint: "Diese Ereignisse kamen zu schnell, um sie anzuzeigen. Verarbeitet wurden sie alle.",
  skippedCount: (count) => `${count} nicht angezeigt`,
  clear: "Leeren",
  resumeNew: (count) => `Live zeigen · ${count} neu`,
  resume: "Live zeigen",
  pause: "Liste anhalten",
  couldNotLoadEvents: "Die Ereignisse konnten nicht geladen werden",
  playSomething: "Etwas spielen",
  noEventsHint:
    "Jeder Druck, jede Drehung und jede Nachricht erscheint hier mit ihrem Ergebnis. Kein " +
    "Controller zur Hand? Den virtuellen in der Ansicht Controller verwenden.",
  engineStoppedHint:
    "Die Engine läuft nicht. Starten über den Punkt in der oberen Leiste; dann erscheinen hier " +
    "die Eingaben.",
  widthExplanation: "Breite der Erklärung",
};
