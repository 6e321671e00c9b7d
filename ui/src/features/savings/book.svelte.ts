import { announce } from "$lib/a11y/announce";
import { toFailure, type Backend } from "$lib/ipc/backend";
import type { Failure, SavingsBackfilled } from "$lib/ipc/generated/protocol";
import { exact } from "$lib/format/count";
import { t, tn } from "$lib/i18n/text";
import { Resource } from "$lib/resource/resource.svelte";
import type { By, Report } from "./report";
import { startOf, type Span } from "./span";

/** What a report is asked for: what its rows are of, the conversation beside the whole, and the time. */
export interface Asked {
  by: By;
  /** Empty for none. */
  key: string;
  span: Span;
}

/** A report with what was asked for. */
export interface Page extends Report, Asked {
  /** The first moment that it is about; null for everything. */
  from: string | null;
}

/** Events after which the sums may be others: turns, and settings that name the model. */
const TELLING = ["worker_changed", "config_changed", "lagged"];

/** The setting that names the model in the headline. */
export const HEADLINE = "worker.caller_model";

/** What the worker spared, and the counting of turns that are older than the counts. */
export class Book {
  readonly report: Resource<Page>;
  failure = $state.raw<Failure | null>(null);
  backfilled = $state.raw<SavingsBackfilled | null>(null);
  isBackfilling = $state(false);
  /** What became of the last choice of a model for the headline. */
  chosen = $state<"recomputed" | "waits" | null>(null);
  isChoosing = $state(false);
  readonly #backend: Backend;
  #asked: Asked;
  readonly #endings: (() => void)[];

  constructor(backend: Backend, asked: Asked) {
    this.#backend = backend;
    this.#asked = asked;
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

  /** Has rows of another kind read, another conversation beside the whole, or another time. */
  show(asked: Asked): void {
    const { by, key, span } = this.#asked;
    if (asked.by === by && asked.key === key && asked.span === span) return;
    this.#asked = asked;
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
    const asked = this.#asked;
    const from = startOf(asked.span, Date.now());
    const session = asked.key === "" ? null : asked.key;
    const report = await this.#backend.call("savings/report", { by: asked.by, session, since: from });
    return { ...report, ...asked, from };
  }
}
