import { announce } from "$lib/a11y/announce";
import { toFailure, type Backend } from "$lib/ipc/backend";
import type { Event, Failure, PurgeWhat, WorkerPurgeParams, WorkerSessions } from "$lib/ipc/generated/protocol";
import { t } from "$lib/i18n/text";
import { Resource } from "$lib/resource/resource.svelte";
import { isNothing, needsRest, type Purged, type SessionDetail } from "./sessions";

/** A removal that was counted and waits for a yes. */
export interface Removal {
  wish: Omit<WorkerPurgeParams, "dry_run">;
  /** What the host would remove, by its own count. */
  counted: Purged;
}

/** What a removal did, or that there was nothing for it to do. */
export interface Removed {
  what: PurgeWhat;
  purged: Purged;
}

/** The conversations of the worker, the one that is looked at, and what is done with them. */
export class Desk {
  readonly list: Resource<WorkerSessions>;
  /** The conversation that is looked at; null while none is. */
  opened = $state.raw<Resource<SessionDetail> | null>(null);
  key = $state("");
  failure = $state.raw<Failure | null>(null);
  removal = $state.raw<Removal | null>(null);
  removed = $state.raw<Removed | null>(null);
  /** Whether a removal was refused because the conversation had come into use. */
  isHeld = $state(false);
  busy = $state<"arm" | "count" | "remove" | null>(null);
  readonly #backend: Backend;
  readonly #endings: (() => void)[];

  constructor(backend: Backend) {
    this.#backend = backend;
    this.list = new Resource(() => backend.call("worker/sessions", {}));
    this.#endings = [
      backend.onEvent((event) => this.#onEvent(event)),
      backend.onConnection((status) => {
        if (status.state !== "connecting") this.refresh();
      }),
    ];
    this.refresh();
  }

  stop(): void {
    for (const end of this.#endings) end();
  }

  refresh(): void {
    void this.list.refresh();
    void this.opened?.refresh();
  }

  /** Looks at a conversation, or with an empty key at none. */
  open(key: string): void {
    if (key === this.key) return;
    this.key = key;
    this.failure = null;
    this.removal = null;
    this.removed = null;
    this.isHeld = false;
    this.opened = key === "" ? null : new Resource(() => this.#backend.call("worker/session", { key }));
    void this.opened?.refresh();
  }

  /** A human's switch for one conversation; it arms no other. */
  async arm(key: string, isOn: boolean): Promise<void> {
    await this.#attempt("arm", async () => {
      const view = await this.#backend.call("worker/arm", { key, is_on: isOn });
      announce(view.armed.state === "on" ? t("worker.on_done") : t("worker.off_done"));
    });
  }

  /** Has the host count what a removal would take. Nothing is removed. */
  async count(wish: Removal["wish"]): Promise<void> {
    await this.#attempt("count", async () => {
      this.removed = null;
      this.isHeld = false;
      const counted = await this.#backend.call("worker/purge", { ...wish, dry_run: true });
      if (isNothing(counted)) {
        this.removed = { what: wish.what, purged: counted };
        announce(t("worker.nothing_to_remove"));
      } else this.removal = { wish, counted };
    });
  }

  /**
   * Removes what was counted, unless the conversation came into use since: the host leaves that to whoever names one.
   * Answers whether that was done.
   */
  async remove(): Promise<boolean> {
    const removal = this.removal;
    if (!removal) return false;
    const isDone = await this.#attempt("remove", async () => {
      this.removal = null;
      const { key, what } = removal.wish;
      if (key !== null && needsRest(what) && (await this.#backend.call("worker/session", { key })).session.is_live) {
        this.isHeld = true;
        announce(t("worker.held_now"), "assertive");
        return;
      }
      const purged = await this.#backend.call("worker/purge", { ...removal.wish, dry_run: false });
      this.removed = { what: removal.wish.what, purged };
      announce(t("worker.removed_done"));
    });
    return isDone && !this.isHeld;
  }

  cancel(): void {
    this.removal = null;
  }

  #onEvent(event: Event): void {
    switch (event.type) {
      case "worker_changed":
        void this.list.refresh();
        if (event.session === this.key) void this.opened?.refresh();
        break;
      // A face that comes or goes changes which conversations are in use, and settings can turn the worker on.
      case "host_changed":
      case "config_changed":
      case "lagged":
        this.refresh();
    }
  }

  async #attempt(what: Exclude<Desk["busy"], null>, work: () => Promise<void>): Promise<boolean> {
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
      if (what !== "count") this.refresh();
    }
  }
}
