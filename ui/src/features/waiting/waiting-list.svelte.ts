import { toFailure, type Backend } from "$lib/ipc/backend";
import type { ApprovalItem, Failure } from "$lib/ipc/generated/protocol";

/** The list of questions can refuse; to allow, the human goes to the window that shows everything. */
export class WaitingList {
  failure = $state.raw<Failure | null>(null);
  busy = $state.raw<ReadonlySet<string>>(new Set());
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async open(): Promise<void> {
    await this.#attempt(() => this.#backend.openApproval());
  }

  async deny(items: ApprovalItem[]): Promise<void> {
    const ids = items.map((item) => item.id).filter((id) => !this.busy.has(id));
    this.busy = new Set([...this.busy, ...ids]);
    for (const id of ids) {
      await this.#attempt(async () => {
        await this.#backend.call("approval/decide", { id, answer: "deny", reason: null, code: null, variant: null });
      });
    }
    this.busy = new Set([...this.busy].filter((id) => !ids.includes(id)));
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.failure = null;
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
  }
}
