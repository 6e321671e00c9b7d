import { toFailure, type Backend, type SelfTest } from "$lib/ipc/backend";
import type { Diagnosis, Failure } from "$lib/ipc/generated/protocol";

/** Pausing, and looking for what does not work. */
export class HostActions {
  failure = $state.raw<Failure | null>(null);
  diagnosis = $state.raw<Diagnosis | null>(null);
  isDiagnosing = $state(false);
  sidecar = $state.raw<SelfTest | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Pauses for so many minutes, until resumed (null), or not at all (0). */
  async pause(minutes: number | null): Promise<void> {
    await this.#attempt(async () => {
      await this.#backend.call("host/pause", { minutes });
    });
  }

  async diagnose(probe: boolean): Promise<void> {
    if (this.isDiagnosing) return;
    this.isDiagnosing = true;
    await this.#attempt(async () => {
      this.diagnosis = await this.#backend.call("doctor/run", { probe });
    });
    this.isDiagnosing = false;
  }

  async testSidecar(): Promise<void> {
    if (this.isDiagnosing) return;
    this.isDiagnosing = true;
    await this.#attempt(async () => {
      this.sidecar = await this.#backend.selfTest();
    });
    this.isDiagnosing = false;
  }

  async openApproval(): Promise<void> {
    await this.#attempt(() => this.#backend.openApproval());
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
