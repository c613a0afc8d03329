/** German translations of why a model did not answer (llm/failures.py). */

export const providers: readonly (readonly [english: string, german: string])[] = [
  [
    "{name} requires a key, and none is set.",
    "{name} braucht einen Schlüssel, und keiner ist gesetzt.",
  ],
  ["Enter one in Settings > Providers.", "Unter Einstellungen > Anbieter einen eingeben."],
  ["{name} refused the key.", "{name} hat den Schlüssel abgelehnt."],
  [
    "Check the key in Settings > Providers, and whether it may use {model}.",
    "Den Schlüssel unter Einstellungen > Anbieter prüfen, und ob er {model} verwenden darf.",
  ],
  ["{name} received too many requests.", "{name} hat zu viele Anfragen erhalten."],
  [
    "Wait a moment and try again, or choose another model.",
    "Einen Moment warten und erneut versuchen, oder ein anderes Modell wählen.",
  ],
  ["{name} is overloaded.", "{name} ist überlastet."],
  [
    "Try again in a while, or choose another model.",
    "Später erneut versuchen, oder ein anderes Modell wählen.",
  ],
  [
    "The credit or quota at {name} is used up.",
    "Das Guthaben oder Kontingent bei {name} ist aufgebraucht.",
  ],
  [
    "Top it up there, or choose another provider.",
    "Es dort aufladen, oder einen anderen Anbieter wählen.",
  ],
  [
    "{name} could not be reached, or the connection broke.",
    "{name} war nicht erreichbar, oder die Verbindung brach ab.",
  ],
  [
    "Check the network and the address {url}, then try again.",
    "Das Netzwerk und die Adresse {url} prüfen, dann erneut versuchen.",
  ],
  ["{name} does not answer at {url}.", "{name} antwortet unter {url} nicht."],
  [
    "Check that it is running, or choose another provider, then try again.",
    "Prüfen, ob es läuft, oder einen anderen Anbieter wählen, dann erneut versuchen.",
  ],
  ["The conversation is too long for {model}.", "Die Unterhaltung ist zu lang für {model}."],
  [
    "Compact it, or choose a model with a larger context window.",
    "Sie kürzen, oder ein Modell mit größerem Kontextfenster wählen.",
  ],
  ["{name} does not have the model {model}.", "{name} hat das Modell {model} nicht."],
  [
    "Choose another one in Settings > Providers.",
    "Unter Einstellungen > Anbieter ein anderes wählen.",
  ],
  ["{name} refused the request.", "{name} hat die Anfrage abgelehnt."],
  ["{name} declined to answer this.", "{name} wollte das nicht beantworten."],
  ["Try a different wording.", "Eine andere Formulierung versuchen."],
  ["The budget is used up.", "Das Budget ist aufgebraucht."],
  ["Raise it in Settings > Providers.", "Es unter Einstellungen > Anbieter erhöhen."],
  ["{name} had an internal error.", "{name} hatte einen internen Fehler."],
  ["Try again, or choose another model.", "Erneut versuchen, oder ein anderes Modell wählen."],
  ['It said: "{detail}"', "Die Antwort: „{detail}“"],
];
