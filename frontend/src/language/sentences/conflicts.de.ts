/** German translations of the messages about conflicts (domain/conflicts, engine/conflicts). */

export const conflicts: readonly (readonly [english: string, german: string])[] = [
  [
    "mode {text} cannot be entered from the controls: {reason}",
    "der Modus {text} lässt sich von den Bedienelementen aus nicht erreichen: {reason}",
  ],
  [
    "nothing leads back from mode {text}: no mapping in it or in all modes changes the mode",
    "aus dem Modus {text} führt nichts zurück: kein Mapping in ihm oder in allen Modi wechselt " +
      "den Modus",
  ],
  [
    "no mapping switches to it, no profile names it and it is not the start mode",
    "kein Mapping wechselt zu ihm, kein Profil nennt ihn, und er ist nicht der Modus beim Start",
  ],
  [
    "only modes that cannot be entered themselves lead to it",
    "nur Modi, die selbst nicht erreichbar sind, führen zu ihm",
  ],
  [
    "the long press of {control} ({mapping}, {ms} ms) delays its tap until it is released",
    "der lange Druck von {control} ({mapping}, {ms} ms) verzögert das Tippen bis zum Loslassen",
  ],
  [
    "the long press of {control} ({mapping}, {ms} ms) delays its tap ({mapping2}) until it is " +
      "released",
    "der lange Druck von {control} ({mapping}, {ms} ms) verzögert das Tippen ({mapping2}) bis " +
      "zum Loslassen",
  ],
  [
    "the long press of {control} ({ms} ms) delays its tap until it is released",
    "der lange Druck von {control} ({ms} ms) verzögert das Tippen bis zum Loslassen",
  ],
  [
    "the long press of {control} ({ms} ms) delays its tap ({mapping2}) until it is released",
    "der lange Druck von {control} ({ms} ms) verzögert das Tippen ({mapping2}) bis zum Loslassen",
  ],
  ["it acts {ms} ms after the press at the earliest", "frühestens {ms} ms nach dem Druck"],
  [
    "the double tap of {control} ({mapping}) delays its tap by {ms} ms",
    "das Doppeltippen von {control} ({mapping}) verzögert das einfache Tippen um {ms} ms",
  ],
  [
    "the double tap of {control} ({mapping}) delays its tap ({mapping2}) by {ms} ms",
    "das Doppeltippen von {control} ({mapping}) verzögert das einfache Tippen ({mapping2}) um " +
      "{ms} ms",
  ],
  [
    "the double tap of {control} delays its tap by {ms} ms",
    "das Doppeltippen von {control} verzögert das einfache Tippen um {ms} ms",
  ],
  [
    "the double tap of {control} delays its tap ({mapping2}) by {ms} ms",
    "das Doppeltippen von {control} verzögert das einfache Tippen ({mapping2}) um {ms} ms",
  ],
  [
    "taps of {control} wait up to {ms} ms for the chord {control2}",
    "Tippen von {control} wartet bis zu {ms} ms auf den Akkord {control2}",
  ],
  ["{mapping} waits up to {ms} ms because {what}", "{mapping} wartet bis zu {ms} ms, weil {what}"],
  [
    "{mapping} (long press) does not fire {what}: {mapping2} is {reason} of {control}",
    "{mapping} (langer Druck) löst nicht aus {what}: {mapping2} ist {reason} von {control}",
  ],
  [
    "{mapping} (double tap) does not fire {what}: {mapping2} is {reason} of {control}",
    "{mapping} (Doppeltippen) löst nicht aus {what}: {mapping2} ist {reason} von {control}",
  ],
  [
    "{mapping} (chord) does not fire {what}: {mapping2} is {reason} of {control}",
    "{mapping} (Akkord) löst nicht aus {what}: {mapping2} ist {reason} von {control}",
  ],
  [
    "{mapping} (tap) does not fire {what}: {mapping2} is {reason} of {control}",
    "{mapping} (Tippen) löst nicht aus {what}: {mapping2} ist {reason} von {control}",
  ],
  ["a long press ({ms} ms)", "ein langer Druck ({ms} ms)"],
  ["a double tap ({ms} ms)", "ein Doppeltippen ({ms} ms)"],
  ["once it is held for {ms} ms", "sobald {ms} ms gehalten wird"],
  ["on two presses within {ms} ms", "bei zwei Drücken innerhalb von {ms} ms"],
  [
    "{mapping} never fires: {mapping2} takes {what} of {control}, whenever it could fire",
    "{mapping} löst nie aus: {mapping2} nimmt {what} von {control}, wann immer es auslösen " +
      "könnte",
  ],
  [
    "{mapping} never fires: {mapping2} take {what} of {control}, one or the other whenever " +
      "it could",
    "{mapping} löst nie aus: {mapping2} nehmen {what} von {control}, wann immer es auslösen könnte",
  ],
  [
    "{mapping} never fires: {mapping2} comes first and takes {what}, {reason}",
    "{mapping} löst nie aus: {mapping2} kommt zuerst und nimmt {what}, {reason}",
  ],
  [
    "{mapping} never fires: {mapping2} come first and take {what}, {reason}",
    "{mapping} löst nie aus: {mapping2} kommen zuerst und nehmen {what}, {reason}",
  ],
  [
    "{mapping} never fires: {mapping2} comes first and takes {what}",
    "{mapping} löst nie aus: {mapping2} kommt zuerst und nimmt {what}",
  ],
  [
    "{mapping} never fires: {mapping2} come first and take {what}",
    "{mapping} löst nie aus: {mapping2} kommen zuerst und nehmen {what}",
  ],
  ["as it listens to any device on any channel", "denn es hört auf alle Geräte und Kanäle"],
  ["as it listens to any device on channel {n}", "denn es hört auf alle Geräte auf Kanal {n}"],
  ["as it listens to device {text} on any channel", "denn es hört auf {text} auf allen Kanälen"],
  ["every press of {control}", "jeden Druck von {control}"],
  ["every release of {control}", "jedes Loslassen von {control}"],
  ["every value of {control}", "jeden Wert von {control}"],
  ["every double tap of {control}", "jedes Doppeltippen von {control}"],
  ["every chord of {control}", "jeden Akkord {control}"],
  ["every long press of {ms} ms of {control}", "jeden langen Druck von {control} ab {ms} ms"],
  ["velocities {low} to {high} of {control}", "Anschlagstärken {low} bis {high} von {control}"],
  ["every press", "jeden Druck"],
  ["every release", "jedes Loslassen"],
  ["every value", "jeden Wert"],
  ["every long press", "jeden langen Druck"],
  ["every double tap", "jedes Doppeltippen"],
  ["every chord", "jeden Akkord"],
  [
    "in mode {name} only {mapping} fires when {what} of {control} fits it and {mapping2} too",
    "im Modus {name} löst nur {mapping} aus, wenn {what} von {control} dazu und zu {mapping2} " +
      "passt",
  ],
  [
    "while profile {name} is active only {mapping} fires when {what} of {control} fits it and " +
      "{mapping2} too",
    "solange Profil {name} aktiv ist, löst nur {mapping} aus, wenn {what} von {control} dazu " +
      "und zu {mapping2} passt",
  ],
  [
    "when {what} of {control} fits both {mapping} and {mapping2}, only {mapping} fires: it " +
      "comes first",
    "wenn {what} von {control} zu {mapping} und zu {mapping2} passt, löst nur {mapping} aus: " +
      "es kommt zuerst",
  ],
  ["a press", "ein Druck"],
  ["a release", "ein Loslassen"],
  ["a double tap", "ein Doppeltippen"],
  ["a value", "ein Wert"],
  [
    "{mapping} never fires: {mapping2} has the same trigger and comes first",
    "{mapping} löst nie aus: {mapping2} hat denselben Auslöser und kommt zuerst",
  ],
  ["note {text} on {device}", "Note {text} an {device}"],
  ["button {text} on {device}", "Taste {text} an {device}"],
  ["note {text} channel {n}", "Note {text} Kanal {n}"],
  ["Chord {text} on {device}", "Akkord {text} an {device}"],
  ["Buttons {text} on {device}", "Tasten {text} an {device}"],
  ["pressure", "Druck"],
  ["{control} and {control2}", "{control} und {control2}"],
  [
    "{mapping} does not fire when {control} is part of a chord: {mapping2} is the chord " +
      "{control2}, which uses up its notes",
    "{mapping} löst nicht aus, wenn {control} Teil eines Akkords ist: {mapping2} ist der " +
      "Akkord {control2}, der seine Noten verbraucht",
  ],
  [
    "{mapping2} is the chord {control2}, which uses up its notes",
    "{mapping2} der Akkord {control2} ist, der seine Noten verbraucht",
  ],
  ["{mapping} is {reason} of {control}", "{mapping} {reason} von {control} ist"],
  [
    "taps of {control} ({mapping}) wait up to {ms} ms for the chord {control2} ({mapping2})",
    "Tippen von {control} ({mapping}) wartet bis zu {ms} ms auf den Akkord {control2} " +
      "({mapping2})",
  ],
  [
    "the chord {control} ({mapping}) beats its part {control2} ({mapping2}) when all {n} come " +
      "within {ms} ms",
    "der Akkord {control} ({mapping}) geht seinem Teil {control2} ({mapping2}) vor, wenn alle " +
      "{n} innerhalb von {ms} ms kommen",
  ],
  [
    "{mapping} and {mapping2} both listen to {control}: {mapping3} comes first, {mapping4} " +
      "fires only for other devices or channels",
    "{mapping} und {mapping2} hören beide auf {control}: {mapping3} kommt zuerst, {mapping4} " +
      "löst nur bei anderen Geräten oder Kanälen aus",
  ],
  [
    "velocities {low} to {high} of {control} fit both {mapping} and {mapping2}: {mapping3} " +
      "comes first",
    "Anschlagstärken {low} bis {high} von {control} passen zu {mapping} und zu {mapping2}: " +
      "{mapping3} kommt zuerst",
  ],
  ...(
    [
      ["in mode {name}", "im Modus {name}"],
      ["while profile {name} is active", "solange Profil {name} aktiv ist,"],
    ] as const
  ).flatMap(([where, wo]) => [
    [
      `{mapping} never acts ${where}: {mapping2} goes first`,
      `${wo} löst {mapping} nie aus: {mapping2} kommt zuerst`,
    ] as const,
    [
      `{mapping} never act ${where}: {mapping2} goes first`,
      `${wo} lösen {mapping} nie aus: {mapping2} kommt zuerst`,
    ] as const,
    [
      `{mapping} does not act on {control} ${where}: {mapping2} goes first`,
      `${wo} löst {mapping} bei {control} nicht aus: {mapping2} kommt zuerst`,
    ] as const,
    [
      `{mapping} do not act on {control} ${where}: {mapping2} goes first`,
      `${wo} lösen {mapping} bei {control} nicht aus: {mapping2} kommt zuerst`,
    ] as const,
  ]),
  [
    "{mapping} ({ms} ms) fires when {control} is released, because {mapping2} ({n} ms) may " +
      "follow",
    "{mapping} ({ms} ms) löst beim Loslassen von {control} aus, weil {mapping2} ({n} ms) " +
      "folgen kann",
  ],
  [
    "{mapping} keeps the order: while it is undecided, {mapping2} of its device waits up to " +
      "{ms} ms",
    "{mapping} hält die Reihenfolge ein: solange es unentschieden ist, wartet {mapping2} des " +
      "Geräts bis zu {ms} ms",
  ],
  [
    "{mapping} runs a shell command on {control}, next to {what}: a slip of the finger runs it",
    "{mapping} führt auf {control} einen Shell-Befehl aus, neben {what}: ein Ausrutscher " +
      "führt ihn aus",
  ],
  [
    "{mapping} sends no release ({n} recent presses): {reason}",
    "{mapping} sendet kein Loslassen ({n} letzte Drücke): {reason}",
  ],
  [
    "{mapping}: each value of {control} starts a note, and nothing ends it; send a control " +
      "change instead, or add a note off",
    "{mapping}: jeder Wert von {control} startet eine Note, und nichts beendet sie; " +
      "stattdessen ein Control Change senden oder ein Note-off ergänzen",
  ],
  ["what {mapping} holds is never released", "was {mapping} hält, wird nie losgelassen"],
  ["what {mapping} holds ends at once", "was {mapping} hält, endet sofort"],
  ["pressure of note {n}", "Druck von Note {n}"],
  ["note {n} (`{mapping}`)", "Note {n} (`{mapping}`)"],
  ["{control} (`{mapping}`)", "{control} (`{mapping}`)"],
  ["both do the same, so one can go", "beide bewirken dasselbe, eines ist also überflüssig"],
  ["not within {ms} ms after another control", "nicht in den {ms} ms nach einem anderen"],
  [
    "less than {ms} ms after a tap it is at once, and held",
    "weniger als {ms} ms nach einem Tippen sofort, und gehalten",
  ],
  ["another control decides for it sooner", "ein anderes Bedienelement entscheidet es früher"],
  ["{text} is tapped instead of held", "{text} wird getippt statt gehalten"],
  [
    "mode {text} stays instead of lasting while it is held",
    "Modus {text} bleibt, statt nur beim Halten zu gelten",
  ],
  ["{mapping} waits up to {ms} ms for it", "{mapping} wartet bis zu {ms} ms darauf"],
  ["{mapping} waits {ms} ms instead of {n}", "{mapping} wartet {ms} ms statt {n}"],
  [
    "the chords {control} ({mapping}) and {control2} ({mapping2}) share {control3}: {reason}",
    "die Akkorde {control} ({mapping}) und {control2} ({mapping2}) haben {control3} gemeinsam: " +
      "{reason}",
  ],
  [
    "where both are possible, {mapping} consumes it",
    "wo beide möglich sind, verbraucht es {mapping}",
  ],
  [
    "{mapping} waits longer because {mapping2} may still come",
    "{mapping} wartet länger, weil {mapping2} noch kommen kann",
  ],
  [
    "{mapping} also fires when {control} ({mapping2}) changes: a device sends it as CC 99 and " +
      "98, or 101 and 100, then 6 and 38",
    "{mapping} löst auch aus, wenn sich {control} ({mapping2}) ändert: Geräte senden es als CC " +
      "99 und 98 oder 101 und 100, dann 6 und 38",
  ],
  [
    "{mapping}: {text} of {control} is never released, so {reason}",
    "{mapping}: {control} wird so nie losgelassen ({text}), daher: {reason}",
  ],
  [
    "{control} sends its release at most {ms} ms after each press ({n} recent presses): {reason}",
    "{control} sendet das Loslassen spätestens {ms} ms nach jedem Druck ({n} letzte Drücke): " +
      "{reason}",
  ],
  [
    "the long press {mapping} cannot reach its {ms} ms",
    "der lange Druck {mapping} kann seine {ms} ms nicht erreichen",
  ],
  [
    "every press becomes the long press {mapping} after {ms} ms",
    "nach {ms} ms wird jeder Druck zum langen Druck {mapping}",
  ],
  [
    "the search for conflicts reached its limit before every pair of mappings of {control} was " +
      "examined: {n} of up to {count}",
    "die Suche nach Konflikten endete an ihrer Grenze, bevor alle Paare von Mappings von " +
      "{control} geprüft waren: {n} von bis zu {count}",
  ],
  [
    "and {n} more overlaps that are not listed, none of them new",
    "und {n} weitere, nicht aufgeführte Konflikte, keiner davon neu",
  ],
  [
    "and {n} more overlaps that are not listed, {count} of them new with this plan",
    "und {n} weitere, nicht aufgeführte Konflikte, {count} davon durch diesen Plan",
  ],
];
