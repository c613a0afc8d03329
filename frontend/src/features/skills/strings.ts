/** User-visible strings of `features/skills`, in one place for translation. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/skills", {
  // InstallSkill.svelte
  archiveTooLarge: (file: string): string =>
    `${file} is too large: a skill archive can have at most 10 MB.`,
  installQuestion: (skill: string): string => `Install ${skill}?`,
  installSkill: "Install skill",
  installHint:
    "A skill is a folder with a SKILL.md: instructions for one kind of task. You can " +
    "read it before you install it.",
  from: (source: string): string => `From ${source}`,
  replacesYourVersion: ". It replaces your current version.",
  foreignSkillHint:
    "Other people may have written it. It cannot grant permissions or approve plans, " +
    "but it tells the assistant how to work: read it first.",
  textOf: (skill: string): string => `Text of ${skill}`,
  files: (files: string): string => `Files: ${files}`,
  sourceLabel: "Folder, archive or address",
  sourceHelp: "For example ~/skills/my-skill, ~/my-skill.zip or github:owner/repository/path",
  or: "or",
  chooseAnArchive: "Choose an archive…",
  skillArchive: "Skill archive",
  back: "Back",
  install: "Install",
  cancel: "Cancel",
  continue: "Continue",

  // SkillCard.svelte
  removeQuestion: (skill: string): string => `Remove ${skill}?`,
  removeText: "Its folder is deleted from this computer. You can install it again from its source.",
  removeSkill: "Remove",
  use: (skill: string): string => `Use ${skill}`,
  yoursHint: "You installed this skill. It gives instructions and cannot grant permissions.",
  yours: "yours",
  removeButton: "Remove…",
  loadingTheSkill: "Loading the skill",

  // SkillsPage.svelte
  couldNotLoadSkills: "Could not load the skills",
  loadingTheSkills: "Loading the skills",
  agentSkills: "Skills",
  intro:
    "Instructions for one kind of task. The assistant uses a skill when your message " +
    "is about its task, or when you enter its name after",
  otherAgentsCanReadThem:
    "; other agents can read them too. A skill cannot grant permissions or approve plans.",
  skills: "Skills",
  noSkills: "No skills",
  noSkillsHint: "Install one from a folder, an archive or GitHub.",
  unusable: (problem: string): string => `cannot be used: ${problem}`,

  // skills.controller.svelte.ts
  removed: (name: string): string => `Removed ${name}`,
  installed: (name: string): string => `Installed ${name}`,

  // words.ts
  /** The skills that Conductor includes. Their own descriptions are written for models. */
  included: {
    "conductor-midi-mapping": [
      "Map controls",
      "Creates, changes and deletes mappings: shortcuts, apps, volume, MIDI, OSC and all gestures.",
    ],
    "conductor-midi-learn": [
      "Learn controls",
      "Listens while you play, and finds out what a control sends.",
    ],
    "conductor-device-setup": [
      "Set up devices",
      "Connects and names controllers, and finds out why one is silent.",
    ],
    "conductor-lights": [
      "Light pads and buttons",
      "Shows with lights what was pressed, what is on and which mode is active.",
    ],
    "conductor-profile-manager": [
      "Organise modes and profiles",
      "Sorts mappings by app and by situation.",
    ],
    "conductor-diagram": ["Draw a diagram", "Draws the modes, and what each control does in them."],
  } as Readonly<Record<string, readonly [title: string, about: string]>>,
  includedWithConductor: "Included with Conductor",
  addedByYou: "Added by you",
  installedFrom: (source: string): string => `Installed from ${source}`,
});
