/** German texts of `features/skills`. */
import type { strings } from "./strings";

export const german: typeof strings = {
  // InstallSkill.svelte
  archiveTooLarge: (file) =>
    `${file} ist zu groß: Ein Archiv eines Skills darf höchstens 10 MB haben.`,
  installQuestion: (skill) => `${skill} installieren?`,
  installSkill: "Skill installieren",
  installHint:
    "Ein Skill ist ein Ordner mit einer SKILL.md: Anweisungen für eine Art von Aufgabe. Er " +
    "lässt sich lesen, bevor er installiert wird.",
  from: (source) => `Von ${source}`,
  replacesYourVersion: ". Er ersetzt die aktuelle Version.",
  foreignSkillHint:
    "Andere können ihn geschrieben haben. Er kann keine Berechtigungen erteilen oder Pläne " +
    "freigeben, sagt dem Assistenten aber, wie er arbeiten soll: zuerst lesen.",
  textOf: (skill) => `Text von ${skill}`,
  files: (files) => `Dateien: ${files}`,
  sourceLabel: "Ordner, Archiv oder Adresse",
  sourceHelp: "Zum Beispiel ~/skills/my-skill, ~/my-skill.zip oder github:owner/repository/path",
  or: "oder",
  chooseAnArchive: "Archiv auswählen …",
  skillArchive: "Archiv eines Skills",
  back: "Zurück",
  install: "Installieren",
  cancel: "Abbrechen",
  continue: "Weiter",

  // SkillCard.svelte
  removeQuestion: (skill) => `${skill} entfernen?`,
  removeText:
    "Sein Ordner wird von diesem Computer gelöscht. Er lässt sich aus seiner Quelle neu " +
    "installieren.",
  removeSkill: "Entfernen",
  use: (skill) => `${skill} verwenden`,
  yoursHint:
    "Selbst installierter Skill. Er gibt Anweisungen und kann keine Berechtigungen erteilen.",
  yours: "eigener",
  removeButton: "Entfernen …",
  loadingTheSkill: "Skill wird geladen",

  // SkillsPage.svelte
  couldNotLoadSkills: "Die Skills konnten nicht geladen werden",
  loadingTheSkills: "Skills werden geladen",
  agentSkills: "Skills",
  intro:
    "Anweisungen für eine Art von Aufgabe. Der Assistent verwendet einen Skill, wenn die " +
    "Nachricht von seiner Aufgabe handelt oder sein Name darin steht, nach",
  otherAgentsCanReadThem:
    "; auch andere Agenten können sie lesen. Ein Skill kann keine Berechtigungen erteilen " +
    "oder Pläne freigeben.",
  skills: "Skills",
  noSkills: "Keine Skills",
  noSkillsHint: "Einen aus einem Ordner, einem Archiv oder von GitHub installieren.",
  unusable: (problem) => `nicht verwendbar: ${problem}`,

  // skills.controller.svelte.ts
  removed: (name) => `${name} entfernt`,
  installed: (name) => `${name} installiert`,

  // words.ts
  included: {
    "conductor-midi-mapping": [
      "Bedienelemente zuweisen",
      "Erstellt, ändert und löscht Mappings: Tasten, Apps, Lautstärke, MIDI, OSC und alle Gesten.",
    ],
    "conductor-midi-learn": [
      "Bedienelemente lernen",
      "Hört beim Spielen zu und findet heraus, was ein Bedienelement sendet.",
    ],
    "conductor-device-setup": [
      "Geräte einrichten",
      "Verbindet und benennt Controller und findet heraus, warum einer stumm bleibt.",
    ],
    "conductor-lights": [
      "Pads und Tasten beleuchten",
      "Zeigt mit Lichtern, was gedrückt wurde, was an ist und welcher Modus aktiv ist.",
    ],
    "conductor-profile-manager": [
      "Modi und Profile ordnen",
      "Ordnet Mappings nach App und Situation.",
    ],
    "conductor-diagram": [
      "Diagramm zeichnen",
      "Zeichnet die Modi und was jedes Bedienelement darin bewirkt.",
    ],
  },
  includedWithConductor: "In Conductor enthalten",
  addedByYou: "Selbst hinzugefügt",
  installedFrom: (source) => `Installiert von ${source}`,
};
