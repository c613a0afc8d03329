/** All German texts, in one module that is loaded only for users who read German. */
import { german as activity } from "./features/activity/strings.de";
import { german as approvals } from "./features/approvals/strings.de";
import { german as apps } from "./features/apps/strings.de";
import { german as capabilities } from "./features/capabilities/strings.de";
import { german as chat } from "./features/chat/strings.de";
import { german as controller } from "./features/controller/strings.de";
import { german as devices } from "./features/devices/strings.de";
import { german as history } from "./features/history/strings.de";
import { german as knowledge } from "./features/knowledge/strings.de";
import { german as learn } from "./features/learn/strings.de";
import { german as mappings } from "./features/mappings/strings.de";
import { german as modes } from "./features/modes/strings.de";
import { german as monitor } from "./features/monitor/strings.de";
import { german as plans } from "./features/plans/strings.de";
import { german as profiles } from "./features/profiles/strings.de";
import { german as providers } from "./features/providers/strings.de";
import { german as sandbox } from "./features/sandbox/strings.de";
import { german as servers } from "./features/servers/strings.de";
import { german as settings } from "./features/settings/strings.de";
import { german as settingsExplanations } from "./features/settings/explanations/strings.de";
import { german as skills } from "./features/skills/strings.de";
import { german as forms } from "./forms/strings.de";
import { german as formsChanges } from "./forms/changes/strings.de";
import { german as formsExplanations } from "./forms/explanations/strings.de";
import { german as formsVocabulary } from "./forms/vocabulary/strings.de";
import { german as languageSentences } from "./language/sentences/strings.de";
import { german as lib } from "./lib/strings.de";
import { german as libToolTitles } from "./lib/tool-titles/strings.de";
import { german as proof } from "./proof/strings.de";
import { german as shell } from "./shell/strings.de";
import { german as ui } from "./ui/strings.de";
import { german as views } from "./views/strings.de";
import { reasons } from "./reasons.de";
import type { Catalog } from "./language/language.svelte";

export const german: Catalog = {
  "features/activity": activity,
  "features/approvals": approvals,
  "features/apps": apps,
  "features/capabilities": capabilities,
  "features/chat": chat,
  "features/controller": controller,
  "features/devices": devices,
  "features/history": history,
  "features/knowledge": knowledge,
  "features/learn": learn,
  "features/mappings": mappings,
  "features/modes": modes,
  "features/monitor": monitor,
  "features/plans": plans,
  "features/profiles": profiles,
  "features/providers": providers,
  "features/sandbox": sandbox,
  "features/servers": servers,
  "features/settings": settings,
  "features/settings/explanations": settingsExplanations,
  "features/skills": skills,
  forms,
  "forms/changes": formsChanges,
  "forms/explanations": formsExplanations,
  "forms/vocabulary": formsVocabulary,
  "language/sentences": { templates: [...languageSentences.templates, ...reasons] },
  lib,
  "lib/tool-titles": libToolTitles,
  proof,
  shell,
  ui,
  views,
};
