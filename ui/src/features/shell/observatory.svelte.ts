import type { Backend, ConnectionStatus, MethodName, ResponseOf } from "$lib/ipc/backend";
import type { Event } from "$lib/ipc/generated/protocol";
import { Clock } from "$lib/resource/clock.svelte";
import { Resource } from "$lib/resource/resource.svelte";

/** Rows the ledger is asked for at most; a view that would need more says so. */
export const LEDGER_LIMIT = 5000;
const DAY_MS = 86_400_000;

/** Ranges of the overview and the ledger in days; one is today. */
export const RANGES = [1, 7, 30] as const;
export type Range = (typeof RANGES)[number];

/** The first moment of a range: the start of a UTC day, because the host sums by UTC days. */
export function since(range: Range, now: number): string {
  return new Date((Math.floor(now / DAY_MS) - (range - 1)) * DAY_MS).toISOString();
}

/** Everything the main window knows of the host, kept fresh by its events. */
export class Observatory {
  readonly backend: Backend;
  readonly clock = new Clock(10_000);
  connection = $state.raw<ConnectionStatus>({ state: "connecting", detail: null });
  range = $state<Range>(7);
  /** Whether figures follow the host by themselves; questions and the host's state always do. */
  isLive = $state(true);
  /** Whether something changed while they did not. */
  hasNews = $state(false);
  readonly approvals = this.#reads("approval/list", () => ({ with_answered: true, limit: 100 }));
  readonly plans = this.#reads("plan/list", () => ({ limit: 100 }));
  readonly providers = this.#reads("provider/list", () => ({}));
  readonly models = this.#reads("model/list", () => ({ provider: null }));
  readonly quotas = this.#reads("quota/list", () => ({}));
  readonly ledger = this.#reads("ledger/list", () => ({ since: this.#since(), limit: LEDGER_LIMIT }));
  readonly telemetry = this.#reads("ledger/telemetry", () => ({ since: this.#since() }));
  readonly config = this.#reads("config/show", () => ({}));
  readonly host = this.#reads("host/status", () => ({}));
  readonly #endings: (() => void)[];

  constructor(backend: Backend) {
    this.backend = backend;
    this.connection = backend.connection();
    this.#endings = [
      backend.onEvent((event) => this.#onEvent(event)),
      backend.onConnection((status) => this.#onConnection(status)),
      () => this.clock.stop(),
    ];
    // Before the first word on the connection every call would only fail.
    if (this.connection.state !== "connecting") this.refreshAll();
  }

  get waiting(): number {
    return this.approvals.value?.approvals.filter((item) => item.outcome === null).length ?? 0;
  }

  refreshAll(): void {
    const all = [this.approvals, this.plans, this.providers, this.models, this.quotas, this.config, this.host];
    for (const resource of [...all, this.ledger, this.telemetry]) void resource.refresh();
  }

  setRange(range: Range): void {
    if (this.range === range) return;
    this.range = range;
    void this.ledger.refresh();
    void this.telemetry.refresh();
  }

  /** Lets figures stand still for reading, or follow again. */
  setLive(isLive: boolean): void {
    this.isLive = isLive;
    if (isLive && this.hasNews) this.refreshAll();
    this.hasNews = false;
  }

  stop(): void {
    for (const end of this.#endings) end();
  }

  #since(): string {
    return since(this.range, Date.now());
  }

  #reads<M extends MethodName>(method: M, params: () => Parameters<typeof this.backend.call<M>>[1]) {
    return new Resource<ResponseOf<M>>(() => this.backend.call(method, params()));
  }

  #onEvent(event: Event): void {
    const affected = this.#affectedBy(event);
    const urgent: unknown[] = [this.approvals, this.host, this.config];
    const now = this.isLive ? affected : affected.filter((resource) => urgent.includes(resource));
    for (const resource of now) void resource.refresh();
    if (now.length < affected.length) this.hasNews = true;
  }

  #affectedBy(event: Event): { refresh(): Promise<void> }[] {
    switch (event.type) {
      case "plan_changed":
        return [this.plans];
      case "approval_opened":
      case "approval_changed":
      case "approval_closed":
        return [this.approvals, this.host, this.plans];
      case "ledger_changed":
        return [this.ledger, this.telemetry, this.providers, this.quotas];
      case "providers_changed":
        return [this.providers, this.models, this.quotas];
      case "config_changed":
        return [this.config, this.host, this.providers];
      case "host_changed":
        return [this.host];
      case "quota_changed":
        return [this.quotas];
      // The views of the library, of the worker and of savings read what they show themselves.
      case "library_changed":
      case "worker_changed":
        return [];
      case "lagged":
        this.refreshAll();
        return [];
      case "host_stopping":
        return [];
    }
  }

  #onConnection(status: ConnectionStatus): void {
    const wasReady = this.connection.state === "ready";
    this.connection = status;
    // Losing the host is read too: each view then says what it shows is old, and why.
    if (status.state === "lost" || (status.state === "ready" && !wasReady)) this.refreshAll();
  }
}
