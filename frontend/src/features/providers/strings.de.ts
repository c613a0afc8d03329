/** German texts of `features/providers`. */
import { formatNumber } from "$language/format";
import type { strings } from "./strings";

export const german: typeof strings = {
  // AddProvider.svelte
  ownServer: "Eigener Server",
  ownServerAbout:
    "Ollama, LM Studio, vLLM, LiteLLM oder ein anderer Server mit einer OpenAI-kompatiblen API",
  addServer: "Server hinzufügen",
  addServerAbout: "Ein Server mit einer OpenAI-kompatiblen API, auf diesem Computer oder anderswo.",
  kindOfServer: "Art des Servers",
  name: "Name",
  nameHelp: "Der Name in Conductor und in der Konfiguration",
  nameServer: "Name des Servers",
  myServer: "Mein Server",
  address: "Adresse",
  badAddress:
    "Die Adresse muss mit `http:` oder `https:` beginnen und darf weder Namen noch Passwort " +
    "enthalten.",
  addressServer: "Adresse des Servers",
  cancel: "Abbrechen",
  add: "Hinzufügen",

  // Budget.svelte
  warnMeAt: "Warnen bei",
  warnHelp: "Einmal am Tag, in der Unterhaltung",
  never: "Nie",
  stopForDayAt: "Für den Tag anhalten bei",
  stopForDayHelp: "Keine weiteren Anfragen bis Mitternacht",
  noLimit: "Keine Grenze",
  stopConversationAt: "Eine Unterhaltung anhalten bei",
  stopConversationHelp: "Keine weiteren Anfragen in der Unterhaltung",

  // Costs.svelte
  sevenDays: "7 Tage",
  thirtyDays: "30 Tage",
  ninetyDays: "90 Tage",
  provider: "Anbieter",
  model: "Modell",
  conversation: "Unterhaltung",
  outsideConversations: "Außerhalb von Unterhaltungen",
  unknownConversation: "Eine gelöschte Unterhaltung oder eine ohne Titel",
  couldNotLoadCosts: "Die Kosten konnten nicht geladen werden",
  calculatingTheCosts: "Kosten werden berechnet",
  today: "Heute",
  days: (count) => `${count} Tage`,
  requests: "Anfragen",
  tokensInOut: "Tokens ein, aus",
  period: "Zeitraum",
  noRequestsYet: "Noch keine Anfragen",
  noRequestsHint:
    "Die Kosten des Chats erscheinen hier, nach Tag, Anbieter, Modell und Unterhaltung.",
  dollarsPerDay: "Dollar pro Tag",
  costsBy: "Kosten nach",
  tokensIn: "Tokens ein",
  out: "aus",
  cost: "Kosten",
  pricesCameAlong: "Die Kosten beruhen auf den Preisen, die Conductor mitbringt.",
  pricesFrom: (day) => `Die Kosten beruhen auf den Preisen vom ${day}.`,
  updatePrices: "Preise aktualisieren",
  pricesUpdated: "Die Preise sind aktuell.",
  unpricedHint: "Anfragen ohne bekannten Preis sind in den Summen nicht enthalten.",

  // FailoverOrder.svelte
  failoverOrder: "Reihenfolge, in der Anbieter gefragt werden",
  noneYet: "Noch keiner",
  default: "Standard",
  skippedHint: "Übersprungen: Er ist aus oder hat keinen Schlüssel.",
  skipped: "Übersprungen",
  askEarlier: (provider) => `${provider} früher fragen`,
  askLater: (provider) => `${provider} später fragen`,
  removeFromOrder: (provider) => `${provider} aus der Reihenfolge entfernen`,
  addProviderToOrder: "Einen Anbieter in die Reihenfolge aufnehmen",
  addAProvider: "Anbieter hinzufügen …",
  failoverHint:
    "Antwortet ein Anbieter nicht, fragt Conductor den nächsten und vermerkt das in der " +
    "Unterhaltung.",
  noFailover: "Nur der Standardanbieter wird gefragt. Einen weiteren als Ersatz hinzufügen.",

  // KeyField.svelte
  unlockKeysFirst: "zuerst die Schlüssel entsperren",
  unlockTheKeys: "Die Schlüssel entsperren",
  choosePassphraseFirst: "zuerst eine Passphrase wählen",
  chooseAPassphrase: "Eine Passphrase wählen",
  keyFromEnvironmentVariable: "Schlüssel aus einer Umgebungsvariable",
  key: "Schlüssel",
  keyOptional: "Schlüssel (optional)",
  deleteKeyQuestion: (provider) => `Den Schlüssel von ${provider} löschen?`,
  deleteKeyText:
    "Das lässt sich nicht rückgängig machen. Der Schlüssel kann neu eingegeben werden.",
  deleteKey: "Schlüssel löschen",
  keyFrom: (provider, variable) => `${provider}: Schlüssel aus ${variable}`,
  keySavedByConductor: (provider) => `${provider}: von Conductor gespeicherter Schlüssel`,
  getKey: (host) => `Einen Schlüssel gibt es bei \`${host}\``,
  useEnvironmentVariable: "Umgebungsvariable verwenden",
  enterKeyInstead: "Stattdessen einen Schlüssel eingeben",
  variableOf: (provider) => `Umgebungsvariable mit dem Schlüssel von ${provider}`,
  variableSet: (variable) => `${variable} ist gesetzt.`,
  variableNotSet: (variable) => `${variable} ist in der Umgebung von Conductor nicht gesetzt.`,
  variableHelp: "Der Name einer Umgebungsvariable, die den Schlüssel enthält.",
  needsAKey: "Braucht einen Schlüssel",
  ifNeedsKey: "Falls er einen Schlüssel braucht",
  replace: "Ersetzen",
  enterAnother: "Anderen eingeben",
  delete: "Löschen",
  keyOf: (provider) => `Schlüssel von ${provider}`,
  pasteKeyHere: "Den Schlüssel hier einfügen",
  save: "Speichern",

  // KeyStorage.svelte
  newKeyFileQuestion: "Eine neue Schlüsseldatei beginnen?",
  newFileText:
    "Die aktuelle Datei wird umbenannt, nicht gelöscht. Die Schlüssel müssen neu eingegeben " +
    "werden.",
  startOver: "Neu beginnen",
  atLeast: (count) => `Mindestens ${count} Zeichen.`,
  keyStorage: "Speicherort der Schlüssel",
  newPassphrase: "Neue Passphrase",
  passphrase: "Passphrase",
  repeatThePassphrase: "Passphrase wiederholen",
  createEncryptedFile: "Verschlüsselte Datei anlegen",
  unlock: "Entsperren",
  startOverButton: "Neu beginnen …",
  passphraseHint: (atLeast) =>
    `${atLeast} Sie wird nicht gespeichert: bei jedem Start eingeben, oder setzen:`,
  unlockTheKeychain: "Schlüsselbund entsperren",
  useEncryptedFile: "Verschlüsselte Datei verwenden",

  // ModelPick.svelte
  modelHelp: "Eines der Modelle des Servers wählen oder den Namen eingeben.",
  loadingTheModels: "Modelle werden geladen",
  defaultModel: (provider) => `${provider}: Standardmodell`,
  useDefaultModel: "Standardmodell verwenden",
  modelOf: (provider) => `Modell von ${provider}`,
  modelName: "Name des Modells",
  modelNotListed: "Der Server führt dieses Modell nicht auf. Eines seiner Modelle wählen.",
  useUnknownModel: (model) => `Das Modell „${model}“ verwenden?`,
  unknownModelText: (provider) =>
    `${provider} führt kein Modell mit diesem Namen auf. Anfragen können fehlschlagen.`,
  useModel: "Dieses Modell verwenden",

  // ProviderCard.svelte
  noModelSelected: "kein Modell ausgewählt",
  defaultAddress: (provider) => `${provider}: Standardadresse`,
  conversationsKept: "Die Unterhaltungen bleiben.",
  keyDeleted: "Der Schlüssel wird auch gelöscht. Die Unterhaltungen bleiben.",
  removeQuestion: (provider) => `${provider} entfernen?`,
  remove: "Entfernen",
  use: (provider) => `${provider} verwenden`,
  switched: (provider, on) => `${provider} ist ${on ? "ein" : "aus"}`,
  baseUrl: "Die Basisadresse, meist mit `/v1` am Ende",
  addressOf: (provider) => `Adresse von ${provider}`,
  testConnection: "Verbindung testen",
  makeDefault: "Als Standard",
  removeButton: "Entfernen …",

  // ProvidersPage.svelte
  providers: "Anbieter",
  failover: "Ersatzanbieter",
  budget: "Budget",
  costs: "Kosten",
  couldNotLoadProviders: "Die Anbieter konnten nicht geladen werden",
  loadingTheProviders: "Anbieter werden geladen",
  sectionsProviderSettings: "Abschnitte der Einstellungen für Anbieter",
  letAssistantAsk: "Der Assistent darf Modelle fragen",
  assistantCanAskModels: "Der Assistent kann Modelle fragen",
  assistantCannotAskModels: "Der Assistent kann keine Modelle fragen",

  // costs.ts
  withoutPrice: (count) => `${count} ohne Preis`,
  requestCount: (count) => (count === 1 ? "1 Anfrage" : `${count} Anfragen`),

  // providers.controller.svelte.ts
  added: (label) => `${label} hinzugefügt`,
  removed: (label) => `${label} entfernt`,
  isDefault: (provider) => `${provider} ist jetzt der Standard`,
  askedAfter: (first, others) => `Nach ${first} gefragt: ${others}`,
  noOtherProviderAsked: "Kein anderer Anbieter wird gefragt",
  theDefault: "der Standard",

  // words.ts
  ollama: "Ollama",
  modelsOnThisComputer: "Modelle auf diesem Computer",
  lmStudio: "LM Studio",
  litellm: "LiteLLM",
  proxyToManyProviders: "Ein Proxy zu vielen Anbietern",
  otherServer: "Anderer Server",
  openAiCompatible: "Ein OpenAI-kompatibler Server",
  off: "Aus",
  locked: "Gesperrt",
  keyRejected: "Schlüssel abgelehnt",
  unreachable: "Nicht erreichbar",
  needsAModel: "Braucht ein Modell",
  notTestedYet: "Noch nicht getestet",
  works: "Funktioniert",
  fromVariable: (variable) => `Aus der Umgebungsvariable \`${variable}\``,
  savedInYourKeychain: "Im Schlüsselbund gespeichert",
  savedInEncryptedFile: "In der verschlüsselten Datei gespeichert",
  tooShort: (count) => `Zu kurz: mindestens ${count} Zeichen eingeben.`,
  passphrasesDoNotMatch: "Die Passphrasen stimmen nicht überein.",
  priceUnknown: "Preis unbekannt",
  price: (input, output) =>
    `${formatNumber(input)} $ ein, ${formatNumber(output)} $ aus pro Million Tokens`,
  contextWindow: (tokens) => `${tokens} Kontext`,
  noTools: "keine Tools",
  readsImages: "liest Bilder",
  retires: (date) => `bis ${date}`,
};
