/** German translations about the user's manuals (knowledge/manuals). */

export const manuals: readonly (readonly [english: string, german: string])[] = [
  [
    "it has no text, because its pages are images; recognise the text first, for example with " +
      "`ocrmypdf in.pdf out.pdf`, and add the new file",
    "Die Datei hat keinen Text, weil ihre Seiten Bilder sind; zuerst den Text erkennen, zum " +
      "Beispiel mit `ocrmypdf in.pdf out.pdf`, und die neue Datei hinzufügen",
  ],
  [
    "it is locked with a password; save a copy without one",
    "Die Datei ist mit einem Passwort gesperrt; eine Kopie ohne Passwort speichern",
  ],
  [
    "it is damaged ({text}); download or export it again",
    "Die Datei ist beschädigt ({text}); noch einmal herunterladen oder exportieren",
  ],
  [
    "it needs too much memory; split it into smaller files",
    "Die Datei braucht zu viel Arbeitsspeicher; in kleinere Dateien aufteilen",
  ],
  [
    "{n} of {count} pages have no text that can be read; if they are images, recognise the " +
      "text first, for example with `ocrmypdf --skip-text in.pdf out.pdf`, and add the new file",
    "{n} von {count} Seiten haben keinen lesbaren Text; wenn sie Bilder sind, zuerst den Text " +
      "erkennen, zum Beispiel mit `ocrmypdf --skip-text in.pdf out.pdf`, und die neue Datei " +
      "hinzufügen",
  ],
  [
    "Conductor cannot index manuals now: {reason}",
    "Conductor kann gerade keine Anleitungen lesen: {reason}",
  ],
  [
    "Your manuals are left out of searches: {reason}.",
    "Die eigenen Anleitungen werden nicht durchsucht: {reason}.",
  ],
  [
    "the process for it cannot be started ({text}); restart Conductor, and if that does not " +
      "help, install it again",
    "Der Prozess dafür lässt sich nicht starten ({text}); Conductor neu starten und, wenn das " +
      "nicht hilft, neu installieren",
  ],
  [
    "the process for it ended with code {n}; restart Conductor, and if that does not help, " +
      "install it again (the log says more)",
    "Der Prozess dafür endete mit Code {n}; Conductor neu starten und, wenn das nicht hilft, " +
      "neu installieren (im Protokoll steht mehr)",
  ],
  [
    "the index of your manuals, {name}, cannot be used ({text}); free some space on the disk",
    "Der Index der eigenen Anleitungen, {name}, ist nicht verwendbar ({text}); auf der " +
      "Festplatte Platz schaffen",
  ],
  [
    "the index of your manuals, {name}, cannot be used ({text}); another program uses it: " +
      "close that program, or try again in a minute",
    "Der Index der eigenen Anleitungen, {name}, ist nicht verwendbar ({text}); ein anderes " +
      "Programm verwendet ihn: dieses schließen oder es in einer Minute erneut versuchen",
  ],
  [
    "the index of your manuals, {name}, cannot be used ({text}); restart Conductor; if that " +
      "does not help, delete the file and add the manuals again",
    "Der Index der eigenen Anleitungen, {name}, ist nicht verwendbar ({text}); Conductor neu " +
      "starten; wenn das nicht hilft, die Datei löschen und die Anleitungen noch einmal " +
      "hinzufügen",
  ],
  [
    "{text} is no PDF, text, Markdown or HTML file; export the manual as one of these",
    "{text} ist keine PDF-, Text-, Markdown- oder HTML-Datei; die Anleitung in einem dieser " +
      "Formate exportieren",
  ],
  [
    "{text} is already in your manuals, as {name}",
    "{text} ist schon unter den eigenen Anleitungen, als {name}",
  ],
  ["{name} is empty; save or download it again", "{name} ist leer; neu speichern oder laden"],
  [
    "{name} has {n} MB, and the limit is {count} MB; split it",
    "{name} hat {n} MB, und höchstens {count} MB sind möglich; die Datei aufteilen",
  ],
  [
    "{name} cannot be read ({text}); check the permissions of the file",
    "{name} lässt sich nicht lesen ({text}); die Rechte der Datei prüfen",
  ],
  [
    "{name} cannot be copied to {folder} ({text}); free some space",
    "{name} lässt sich nicht nach {folder} kopieren ({text}); Platz schaffen",
  ],
  [
    "the file cannot be stored ({text}); free some space",
    "Die Datei lässt sich nicht speichern ({text}); Platz schaffen",
  ],
  [
    "a part of the file is missing; add the file again",
    "Ein Teil der Datei fehlt; die Datei noch einmal hinzufügen",
  ],
  [
    "the file has not arrived; add it again",
    "Die Datei ist nicht angekommen; sie noch einmal hinzufügen",
  ],
  ["the file is larger than {n} MB; split it", "Die Datei ist größer als {n} MB; sie aufteilen"],
  [
    "it has {n} pages, and the limit is {count}; split it",
    "Die Datei hat {n} Seiten, und höchstens {count} sind möglich; sie aufteilen",
  ],
  [
    "it is not a text file; export it as PDF or text",
    "Das ist keine Textdatei; sie als PDF oder Text exportieren",
  ],
  [
    "its file cannot be opened ({text}); add it again",
    "Ihre Datei lässt sich nicht öffnen ({text}); sie noch einmal hinzufügen",
  ],
  [
    "it could not be read within {n} s; try again, or split it",
    "Die Datei ließ sich nicht innerhalb von {n} s lesen; es noch einmal versuchen oder sie " +
      "aufteilen",
  ],
  [
    "its reader ended without a result; try again, or save it in another format",
    "Das Lesen brach ohne Ergebnis ab; es noch einmal versuchen oder in einem anderen Format " +
      "speichern",
  ],
  [
    "the reader ended {n} times at page {count}; save the file again with another program, or " +
      "remove this page",
    "Das Lesen brach {n} Mal an Seite {count} ab; die Datei mit einem anderen Programm neu " +
      "speichern oder diese Seite entfernen",
  ],
];
