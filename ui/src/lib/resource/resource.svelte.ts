import { toFailure } from "../ipc/backend";
import type { Failure } from "../ipc/generated/protocol";

/** What a view shows of a resource; emptiness is the view's to judge. */
export type Face = "loading" | "error" | "denied" | "stale" | "ready";

/** Something read from the host: the last good value, its age, and what went wrong since. */
export class Resource<T> {
  value = $state.raw<T | null>(null);
  failure = $state.raw<Failure | null>(null);
  loadedAt = $state<number | null>(null);
  isLoading = $state(false);
  readonly #read: () => Promise<T>;
  #isAskedAgain = false;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  get face(): Face {
    if (this.failure?.code === "forbidden") return "denied";
    if (this.value === null) return this.failure ? "error" : "loading";
    return this.failure ? "stale" : "ready";
  }

  /** Reads again. Calls during a read lead to exactly one more, so a burst of events costs two reads. */
  async refresh(): Promise<void> {
    if (this.isLoading) {
      this.#isAskedAgain = true;
      return;
    }
    this.isLoading = true;
    do {
      this.#isAskedAgain = false;
      try {
        this.value = await this.#read();
        this.failure = null;
        this.loadedAt = Date.now();
      } catch (thrown) {
        this.failure = toFailure(thrown);
      }
    } while (this.#isAskedAgain);
    this.isLoading = false;
  }
}
