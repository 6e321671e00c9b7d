import { toFailure, type Backend } from "$lib/ipc/backend";
import type { Failure, MediaFileView, PlanId, RunAnswer } from "$lib/ipc/generated/protocol";

/** Larger pictures are not drawn: all of their bytes would travel through the bridge as text. */
export const PREVIEW_BYTES = 1_000_000;
/** Kinds that hold pixels and nothing that could run. */
const PICTURES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

export function canPreview(file: MediaFileView): boolean {
  return PICTURES.includes(file.mime_type) && file.bytes <= PREVIEW_BYTES;
}

/** The name of one file of one plan. */
export function pictureKey(planId: PlanId, index: number): string {
  return `${planId}/${index}`;
}

/** Stored results, read only when the human asks for one and dropped with the view. */
export class PlanResults {
  answers = $state.raw<Record<string, RunAnswer>>({});
  /** Pictures by their key, as addresses that hold their bytes. */
  pictures = $state.raw<Record<string, string>>({});
  /** What could not be read, by plan or by picture. */
  failures = $state.raw<Record<string, Failure>>({});
  failure = $state.raw<Failure | null>(null);
  readonly #backend: Backend;
  readonly #asked = new Set<string>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async show(planId: PlanId): Promise<void> {
    try {
      const answer = await this.#backend.call("plan/result", { plan_id: planId });
      this.answers = { ...this.answers, [planId]: answer };
      this.failures = without(this.failures, planId);
    } catch (thrown) {
      this.failures = { ...this.failures, [planId]: toFailure(thrown) };
    }
  }

  hide(planId: PlanId): void {
    this.answers = without(this.answers, planId);
  }

  /** Reads a picture once, if it is one that is drawn. */
  async preview(planId: PlanId, file: MediaFileView): Promise<void> {
    const key = pictureKey(planId, file.index);
    if (!canPreview(file) || this.#asked.has(key)) return;
    this.#asked.add(key);
    try {
      const content = await this.#backend.call("plan/media", { plan_id: planId, index: file.index });
      // What arrives decides, not what was announced.
      if (!PICTURES.includes(content.mime_type)) throw new Error(`\`${content.mime_type}\` is not shown here`);
      this.pictures = { ...this.pictures, [key]: `data:${content.mime_type};base64,${content.base64}` };
    } catch (thrown) {
      this.failures = { ...this.failures, [key]: toFailure(thrown) };
    }
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

function without<T>(all: Record<string, T>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));
}
