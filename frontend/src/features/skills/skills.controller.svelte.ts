/** View model of the Agent Skills in Settings. */
import { errorMessage } from "$lib/client/client";
import type {
  UnreadableSkill,
  FetchedSkill,
  Skills,
  SkillText,
  SkillView,
} from "$lib/client/types";
import type { State } from "$lib/state/state";
import { strings } from "./strings";

/** The source of a skill: an address or a path, or the content of an archive in base64. */
export type SkillSource = { source: string } | { archive: string; archive_name: string };

export class SkillsController {
  /** The installed skills; null: not loaded yet. */
  skills = $state.raw<SkillView[] | null>(null);
  /** The skill folders that cannot be used, with the reasons. */
  broken = $state.raw<UnreadableSkill[]>([]);
  /** The reason why the skills could not be loaded; null: no error. */
  error = $state<string | null>(null);
  /** The loaded texts of skills, by skill name. */
  texts = $state.raw<Record<string, SkillText>>({});

  constructor(private readonly state: State) {}

  async load(): Promise<void> {
    try {
      this.storeSkills(await this.state.client.call("skills.list"));
      this.error = null;
    } catch (error) {
      this.error = errorMessage(error);
    }
  }

  toggle(name: string, enabled: boolean): Promise<boolean> {
    return this.runChange(() => this.state.client.call("skills.toggle", { name, enabled }));
  }

  remove(name: string): Promise<boolean> {
    return this.runChange(
      () => this.state.client.call("skills.remove", { name }),
      strings.removed(name),
    );
  }

  async loadText(name: string): Promise<void> {
    await this.state.app.attempt(async () => {
      this.texts = { ...this.texts, [name]: await this.state.client.call("skills.show", { name }) };
    });
  }

  async loadFile(name: string, path: string): Promise<string> {
    return (await this.state.client.call("skills.file", { name, path })).text;
  }

  /** Fetch a skill for review. @throws ApiError when the source is not a skill or not allowed */
  fetch(from: SkillSource): Promise<FetchedSkill> {
    return this.state.client.call("skills.fetch", from);
  }

  async install(from: SkillSource, { name, digest }: FetchedSkill): Promise<void> {
    this.storeSkills(await this.state.client.call("skills.install", { ...from, digest }));
    this.dropText(name);
    this.state.ui.toast(strings.installed(name), { tone: "success" });
  }

  private storeSkills({ skills, broken }: Skills): void {
    this.skills = skills;
    this.broken = broken;
  }

  private dropText(name: string): void {
    const { [name]: _, ...texts } = this.texts;
    this.texts = texts;
  }

  private async runChange(run: () => Promise<Skills>, done?: string): Promise<boolean> {
    return this.state.app.attempt(async () => this.storeSkills(await run()), done);
  }
}
