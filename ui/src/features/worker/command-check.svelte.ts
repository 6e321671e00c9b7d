import { announce } from "$lib/a11y/announce";
import { toFailure, type Backend } from "$lib/ipc/backend";
import type { Failure, PolicyChecked } from "$lib/ipc/generated/protocol";
import { t } from "$lib/i18n/text";

/** What the policy said, of which command and in which folder. */
export interface Checked {
  command: string;
  folder: string;
  verdict: PolicyChecked;
}

/** Has the policy judge a command that nobody runs. */
export class CommandCheck {
  command = $state("");
  folder = $state("");
  checked = $state.raw<Checked | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** Whether it was asked about nothing. */
  isMissing = $state(false);
  isChecking = $state(false);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async check(): Promise<void> {
    if (this.isChecking) return;
    const { command } = this;
    const folder = this.folder.trim();
    this.isMissing = command.trim() === "";
    // What was said of another command must not stand beside this one.
    this.checked = null;
    this.failure = null;
    if (this.isMissing) return;
    this.isChecking = true;
    try {
      const verdict = await this.#backend.call("policy/check", { command, cwd: folder === "" ? null : folder });
      this.checked = { command, folder, verdict };
      announce(t(`policy.${decisionOf(verdict)}`));
    } catch (thrown) {
      this.failure = toFailure(thrown);
    } finally {
      this.isChecking = false;
    }
  }
}

/** What would happen. A word that is not known here promises nothing. */
export function decisionOf(verdict: PolicyChecked): "allow" | "ask" | "deny" | "other" {
  return (["allow", "ask", "deny"] as const).find((each) => each === verdict.decision) ?? "other";
}
