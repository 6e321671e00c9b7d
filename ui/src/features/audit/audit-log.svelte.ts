import { toFailure, type Backend } from "$lib/ipc/backend";
import type { AuditEvent, AuditVerified, Failure } from "$lib/ipc/generated/protocol";
import { Resource } from "$lib/resource/resource.svelte";

/** Rows that are read at once; more are read on demand. */
const PAGE = 100;

/** The newest part of the audit log, and whether its chain holds. */
export class AuditLog {
  readonly tail: Resource<{ events: AuditEvent[] }>;
  verified = $state.raw<AuditVerified | null>(null);
  verifiedAt = $state<number | null>(null);
  failure = $state.raw<Failure | null>(null);
  isVerifying = $state(false);
  readonly #backend: Backend;
  readonly #unsubscribe: () => void;
  #limit = PAGE;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.tail = new Resource(() => backend.call("audit/tail", { limit: this.#limit }));
    // Whatever happens in the host is noted in the log, so every event may have added a row.
    this.#unsubscribe = backend.onEvent(() => void this.tail.refresh());
    void this.tail.refresh();
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Whether older rows may exist. */
  get hasMore(): boolean {
    return (this.tail.value?.events.length ?? 0) >= this.#limit;
  }

  more(): void {
    this.#limit += PAGE;
    void this.tail.refresh();
  }

  async verify(): Promise<void> {
    if (this.isVerifying) return;
    this.isVerifying = true;
    try {
      this.verified = await this.#backend.call("audit/verify", {});
      this.verifiedAt = Date.now();
      this.failure = null;
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
    this.isVerifying = false;
  }
}

/** Rows of which a safe field holds the text. */
export function matching(events: AuditEvent[], text: string): AuditEvent[] {
  const wanted = text.toLowerCase();
  if (wanted === "") return events;
  return events.filter((event) =>
    [event.actor, event.action, event.object, event.decision].some((field) => field?.toLowerCase().includes(wanted)),
  );
}
