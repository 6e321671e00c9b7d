import { announce } from "$lib/a11y/announce";
import { toFailure, type Backend } from "$lib/ipc/backend";
import type { Failure, SavingsBackfilled } from "$lib/ipc/generated/protocol";
import { exact } from "$lib/format/count";
import { t, tn } from "$lib/i18n/text";
import { Resource } from "$lib/resource/resource.svelte";
import type { By, Report } from "./report";

/** A report with what its rows are of, and the conversation that was named. */
export interface Page extends Report {
  by: By;
  key: string;
}

/** Events after which the sums may be others: turns, and settings that name the model. */
const TELLING = ["worker_changed", "config_changed", "lagged"];

/** The setting that names the model in the headline. */
export const HEADLINE = "worker.caller_model";

/** What the worker spared, and the counting of turns that are older than the counts. */
export class Book {
  readonly report: Resource<Page>;
  by = $state<By>("model");
  /** The conversation that is shown beside the whole; empty for none. */
  key = $state("");
  failure = $state.raw<Failure | null>(null);
  backfilled = $state.raw<SavingsBackfilled | null>(null);
  isBackfilling = $state(false);
  /** What became of the last choice of a model for the headline. */
  chosen = $state<"recomputed" | "waits" | null>(null);
  isChoosing = $state(false);
  readonly #backend: Backend;
  readonly #endings: (() => void)[];

  constructor(backend: Backend, by: By, key: string) {
    this.#backend = backend;
    this.by = by;
    this.key = key;
    this.report = new Resource(() => this.#read());
    this.#endings = [
      backend.onEvent((event) => {
        if (TELLING.includes(event.type)) void this.report.refresh();
      }),
      backend.onConnection((status) => {
        if (status.state !== "connecting") void this.report.refresh();
      }),
    ];
    void this.report.refresh();
  }

  stop(): void {
    for (const end of this.#endings) end();
  }

  /** Has rows of another kind read, or another conversation beside the whole. */
  show(by: By, key: string): void {
    if (by === this.by && key === this.key) return;
    this.by = by;
    this.key = key;
    void this.report.refresh();
  }

  /** Counts turns that were stored before there were counts. Doing it twice adds nothing. */
  async backfill(): Promise<void> {
    if (this.isBackfilling) return;
    this.isBackfilling = true;
    try {
      this.backfilled = await this.#backend.call("savings/backfill", {});
      this.failure = null;
      announce(tn("savings.added", this.backfilled.added, { count: exact(this.backfilled.added) }));
    } catch (thrown) {
      this.failure = toFailure(thrown);
    } finally {
      this.isBackfilling = false;
      void this.report.refresh();
    }
  }

  /** Takes the prices of another model for every sum, past ones too; with null those of the usual one. */
  async choose(model: string | null): Promise<void> {
    if (this.isChoosing) return;
    this.isChoosing = true;
    try {
      const config = await this.#backend.call("config/set", { key: HEADLINE, value: model });
      const inForce = config.values.find((each) => each.key === HEADLINE)?.value ?? null;
      // Whether a value needs a consent is the host's to say.
      this.chosen = inForce === model ? "recomputed" : "waits";
      this.failure = null;
      announce(t(`savings.${this.chosen}`));
    } catch (thrown) {
      this.failure = toFailure(thrown);
      this.chosen = null;
    } finally {
      this.isChoosing = false;
      void this.report.refresh();
    }
  }

  async #read(): Promise<Page> {
    const { by, key } = this;
    const report = await this.#backend.call("savings/report", { by, session: key === "" ? null : key });
    return { ...report, by, key };
  }
}
