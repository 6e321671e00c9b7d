import { announce } from "$lib/a11y/announce";
import { toFailure, type Backend } from "$lib/ipc/backend";
import type { Failure, ListTried, QuotaTried, TierList } from "$lib/ipc/generated/protocol";
import { t, tn } from "$lib/i18n/text";
import { Resource } from "$lib/resource/resource.svelte";

/** Rows of the table of tiers that are asked for. */
const TIER_LIMIT = 500;

/** Reading lists of models and balances again, how that went, and the table of tiers. */
export class Upkeep {
  /** How the last try went, by provider. */
  lists = $state.raw<Record<string, ListTried>>({});
  balances = $state.raw<Record<string, QuotaTried>>({});
  failure = $state.raw<Failure | null>(null);
  /** Providers whose list is being read; the empty name stands for all of them. */
  reading = $state.raw<ReadonlySet<string>>(new Set());
  isReadingQuotas = $state(false);
  readonly tiers: Resource<TierList>;
  readonly #backend: Backend;
  readonly #unsubscribe: () => void;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.tiers = new Resource(() => backend.call("tier/list", { limit: TIER_LIMIT }));
    this.#unsubscribe = backend.onEvent((event) => {
      const isAffected = ["providers_changed", "config_changed", "lagged"].includes(event.type);
      if (isAffected && this.tiers.value !== null) void this.tiers.refresh();
    });
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Whether this provider's list is being read now. */
  isReading(provider: string): boolean {
    return this.reading.has(provider) || this.reading.has("");
  }

  /** Reads one list now, or with an empty name every list that is not fresh. */
  async readLists(provider: string): Promise<void> {
    if (this.isReading(provider)) return;
    this.reading = new Set([...this.reading, provider]);
    await this.#attempt(async () => {
      const params = provider === "" ? { provider: null, force: false } : { provider, force: true };
      const answer = await this.#backend.call("catalogue/refresh", params);
      const tried = Object.fromEntries(answer.providers.map((each) => [each.provider, each]));
      this.lists = { ...this.lists, ...tried };
      const failed = answer.providers.filter((each) => each.status === "failed").length;
      announce(failed > 0 ? tn("list.some_failed", failed) : t("list.all_read"));
    });
    this.reading = new Set([...this.reading].filter((each) => each !== provider));
  }

  /** Asks every provider for its balance. Answers whether the host was reached. */
  async readQuotas(): Promise<boolean> {
    if (this.isReadingQuotas) return false;
    this.isReadingQuotas = true;
    const isDone = await this.#attempt(async () => {
      const answer = await this.#backend.call("quota/refresh", {});
      this.balances = Object.fromEntries(answer.providers.map((each) => [each.provider, each]));
      announce(t("quota.all_read"));
    });
    this.isReadingQuotas = false;
    return isDone;
  }

  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.failure = null;
      return true;
    } catch (thrown) {
      this.failure = toFailure(thrown);
      return false;
    }
  }
}
