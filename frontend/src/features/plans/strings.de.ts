/** German texts of `features/plans`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // ConnectAgent.svelte
  noClipboard:
    "Diese Seite kann die Zwischenablage nicht verwenden. Die Zeile markieren und kopieren.",
  noPlansYet: "Noch keine Pläne",
  connectIntro:
    "Agenten können die Konfiguration lesen und Änderungen vorschlagen. Ein Vorschlag erscheint " +
    "hier als Plan, und nichts ändert sich, bis er angewendet wird. Um einen Agenten zu " +
    "verbinden, in einem Terminal ausführen:",
  yourAgent: "Der Agent",
  copied: "Kopiert",
  copyCommand: "Befehl kopieren",
  otherClients: "Für jeden anderen MCP-Client diesen Befehl verwenden:",
  tryAsking: ". Dann zum Beispiel fragen: „Lass mein Pad oben links das Mikrofon stummschalten“.",

  // DiscardReason.svelte
  discardWithReason: "Mit Begründung verwerfen",
  reason: "Grund",
  reasonHint: "Der Agent kann den Grund lesen und seinen nächsten Plan verbessern.",
  reasonPlaceholder: "Stattdessen die untere Reihe der Pads verwenden",
  cancel: "Abbrechen",
  discard: "Verwerfen",

  // PlanReview.svelte
  requestedThis: "hat dies angefordert",

  // PlansView.svelte
  pending: (count) => `${count} offen`,
  plans: "Pläne",
  couldNotLoadPlans: "Die Pläne konnten nicht geladen werden",
  loadingThePlans: "Pläne werden geladen",
  widthList: "Breite der Liste",
  noMatches: "Keine Treffer",
  tryAnotherSearch: "Eine andere Suche versuchen.",
  couldNotLoadPlan: "Der Plan konnte nicht geladen werden",
  loadingThePlan: "Plan wird geladen",
  selectAPlan: "Einen Plan auswählen",
  selectPlanHint: "Hier steht, was ein Plan ändert, bevor darüber entschieden wird.",
  examplesFail: "Seine Beispiele schlagen fehl",
  allowOnce: "Einmal erlauben",
  applySome: (count, total) => `${count} von ${total} Änderungen anwenden`,
  edit: "Bearbeiten",
  useTheseChanges: "Diese Änderungen verwenden",
  more: "Weitere Befehle",
  discardWithReasonButton: "Mit Begründung verwerfen …",
  exampleFails: "Ein Beispiel schlägt fehl, daher lässt sich der Plan nicht anwenden.",
  askAgain: "Neu anfordern",
  undo: "Rückgängig",
  redo: "Wiederholen",
};
