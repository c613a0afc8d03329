/** The view model of the Agent Skills in Settings. */
import { errorMessage } from "$lib/client/client";
import type { BrokenSkill, FetchedSkill, Skills, SkillText, SkillView } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { strings } from "./strings";

/** The source of a skill: an address or a path, or the content of an archive in base64. */
export type From = { source: string } | { archive: string; archive_name: string };

export class SkillsController {
  /** The installed skills; null: not loaded yet. */
  skills = $state.raw<SkillView[] | null>(null);
  /** Skill folders that cannot be read, with the reason. */
  broken = $state.raw<BrokenSkill[]>([]);
  /** Why the skills could not be loaded. */
  error = $state<string | null>(null);
  /** The texts of the skills that were opened, by skill name. */
  texts = $state.raw<Record<string, SkillText>>({});

  constructor(private readonly state: State) {}

  async load(): Promise<void> {
    try {
      this.put(await this.state.client.call("skills.list"));
      this.error = null;
    } catch (error) {
      this.error = errorMessage(error);
    }
  }

  toggle(name: string, enabled: boolean): Promise<boolean> {
    return this.attempt(() => this.state.client.call("skills.toggle", { name, enabled }));
  }

  remove(name: string): Promise<boolean> {
    return this.attempt(
      () => this.state.client.call("skills.remove", { name }),
      strings.removed(name),
    );
  }

  async show(name: string): Promise<void> {
    await this.state.app.attempt(async () => {
      this.texts = { ...this.texts, [name]: await this.state.client.call("skills.show", { name }) };
    });
  }

  async file(name: string, path: string): Promise<string> {
    return (await this.state.client.call("skills.file", { name, path })).text;
  }

  /** Fetch a skill for review. @throws ApiError when it is no skill, or is not allowed. */
  fetch(from: From): Promise<FetchedSkill> {
    return this.state.client.call("skills.fetch", from);
  }

  async install(from: From, { name, digest }: FetchedSkill): Promise<void> {
    this.put(await this.state.client.call("skills.install", { ...from, digest }));
    this.forget(name);
    this.state.ui.toast(strings.installed(name), { tone: "success" });
  }

  private put({ skills, broken }: Skills): void {
    this.skills = skills;
    this.broken = broken;
  }

  private forget(name: string): void {
    const { [name]: _, ...texts } = this.texts;
    this.texts = texts;
  }

  private async attempt(run: () => Promise<Skills>, done?: string): Promise<boolean> {
    return this.state.app.attempt(async () => this.put(await run()), done);
  }
}
