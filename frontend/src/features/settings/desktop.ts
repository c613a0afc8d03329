/** The permission to press keys, and the extension that reveals the app in front, as sentences. */
import type { DesktopAccess } from "$lib/client/types";
import { strings } from "./strings";

/** Return how keys are sent, or null if this computer asks nobody and there is no problem. */
export function describeKeys(access: DesktopAccess): string | null {
  const { input_consent: consent, input_problem: problem, input_route: route } = access;
  if (consent === null && problem === null) return null;
  if (consent === "asking") return strings.desktopIsAsking;
  const how = route === null ? strings.noWayToPressKeys : strings.keysAreSentBy(route);
  return problem === null ? how : `${how} ${sentence(problem)}`;
}

/** Return whether the user can be asked for the permission to press keys. */
export function needsPermission({ input_consent: consent }: DesktopAccess): boolean {
  return consent === "needed" || consent === "refused";
}

/** Return whether profiles follow the app in front, or null if no extension is needed. */
export function describeProfiles(access: DesktopAccess): string | null {
  if (access.extension === null) return null;
  return access.extension === "active"
    ? strings.extensionIsActive
    : strings.profilesCannotFollow(access.extension_problem);
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
