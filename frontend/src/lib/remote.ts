/** What agents on other computers may do, in words. */
import { localized } from "$language/language.svelte";
import type { RemoteScope } from "./client/types";
import { strings } from "./strings";

/** The scope that every access includes, because an agent can do nothing without it. */
export const ALWAYS_GRANTED: RemoteScope = "look";
const TEXTS: Record<RemoteScope, string> = localized(() => ({
  look: strings.scopeLook,
  operate: strings.scopeOperate,
  propose: strings.scopePropose,
  hardware: strings.scopeHardware,
  skills: strings.scopeSkills,
}));
const NAMES: Record<RemoteScope, string> = localized(() => ({
  look: strings.scopeLookName,
  operate: strings.scopeOperateName,
  propose: strings.scopeProposeName,
  hardware: strings.scopeHardwareName,
  skills: strings.scopeSkillsName,
}));

/** Return what a scope allows, as a sentence. */
export const scopeText = (scope: RemoteScope): string => TEXTS[scope];
/** Return what a scope allows, in a word or two. */
export const scopeName = (scope: RemoteScope): string => NAMES[scope];
