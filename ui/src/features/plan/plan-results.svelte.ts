import { toFailure, type Backend } from "$lib/ipc/backend";
import type { Failure, RunAnswer } from "$lib/ipc/generated/protocol";

/** Stored results, read only when the human asks for one and dropped with the view. */
export class PlanResults {
  answers = $state.raw<Record<string, RunAnswer>>({});
  failures = $state.raw<Record<string, Failure>>({});
  failure = $state.raw<Failure | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async show(planId: string): Promise<void> {
    try {
      const answer = await this.#backend.call("plan/result", { plan_id: planId });
      this.answers = { ...this.answers, [planId]: answer };
    } catch (thrown) {
      this.failures = { ...this.failures, [planId]: toFailure(thrown) };
    }
  }

  hide(planId: string): void {
    this.answers = Object.fromEntries(Object.entries(this.answers).filter(([id]) => id !== planId));
  }

  async openApproval(): Promise<void> {
    try {
      await this.#backend.openApproval();
      this.failure = null;
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
  }
}
