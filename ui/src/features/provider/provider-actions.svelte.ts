import { announce } from "$lib/a11y/announce";
import { toFailure, type Backend } from "$lib/ipc/backend";
import type { Failure, ProviderTested } from "$lib/ipc/generated/protocol";
import { t } from "$lib/i18n/text";

/** What the human does with one provider, and how it went. Never holds a key. */
export class ProviderActions {
  tested = $state.raw<ProviderTested | null>(null);
  failure = $state.raw<Failure | null>(null);
  busy = $state<"test" | "save" | "remove" | null>(null);
  readonly #backend: Backend;
  readonly #provider: string;

  constructor(backend: Backend, provider: string) {
    this.#backend = backend;
    this.#provider = provider;
  }

  async test(): Promise<void> {
    await this.#attempt("test", async () => {
      this.tested = await this.#backend.call("provider/test", { provider: this.#provider });
      announce(this.tested.detail);
    });
  }

  /** Stores a key. Answers whether it was stored, so that the form can close. */
  async save(key: string): Promise<boolean> {
    return this.#attempt("save", async () => {
      await this.#backend.call("key/set", { provider: this.#provider, key });
      this.tested = null;
      announce(t("key.saved", { provider: this.#provider }));
    });
  }

  async remove(): Promise<boolean> {
    return this.#attempt("remove", async () => {
      await this.#backend.call("key/remove", { provider: this.#provider });
      this.tested = null;
      announce(t("key.removed", { provider: this.#provider }));
    });
  }

  async #attempt(what: "test" | "save" | "remove", work: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = what;
    try {
      await work();
      this.failure = null;
      return true;
    } catch (thrown) {
      this.failure = toFailure(thrown);
      return false;
    } finally {
      this.busy = null;
    }
  }
}
