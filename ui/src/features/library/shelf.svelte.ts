import { announce } from "$lib/a11y/announce";
import { toFailure, type Backend } from "$lib/ipc/backend";
import type {
  ApprovalId,
  ApproveStatus,
  Failure,
  LibraryApproved,
  LibraryList,
  LibraryStatus,
  LibraryToolView,
  LibraryVersion,
  Outcome,
} from "$lib/ipc/generated/protocol";
import { t, tn } from "$lib/i18n/text";
import { Resource } from "$lib/resource/resource.svelte";

/** What the human can do with one tool. */
export type ToolAction = "approve" | "disable" | "archive" | "delete";

/** A tool with everything its page shows. */
export interface OpenedTool extends LibraryToolView {
  versions: LibraryVersion[];
}

/** Events after which tools, patterns or what may be run may be others. */
const TELLING = ["library_changed", "approval_closed", "plan_changed", "config_changed", "lagged"];

/** The tools of the library, the one that is looked at, and what is done with them. */
export class Shelf {
  readonly list: Resource<LibraryList>;
  readonly status: Resource<LibraryStatus>;
  /** The tool that is looked at; null while none is. */
  opened = $state.raw<Resource<OpenedTool> | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** How a wish for approval stands; a yes is given elsewhere. */
  asked = $state.raw<LibraryApproved | null>(null);
  busy = $state<ToolAction | "analyze" | null>(null);
  slug = $state("");
  readonly #backend: Backend;
  readonly #endings: (() => void)[];

  constructor(backend: Backend) {
    this.#backend = backend;
    this.list = new Resource(() => backend.call("library/list", { status: null }));
    this.status = new Resource(() => backend.call("library/status", {}));
    this.#endings = [
      backend.onEvent((event) => {
        if (event.type === "approval_closed") this.#settle(event.id, event.outcome);
        if (TELLING.includes(event.type)) this.refresh();
      }),
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
    void this.status.refresh();
    void this.opened?.refresh();
  }

  /** Looks at a tool, or with an empty name at none. */
  open(slug: string): void {
    if (slug === this.slug) return;
    this.slug = slug;
    this.failure = null;
    this.asked = null;
    this.opened = slug === "" ? null : new Resource(() => this.#read(slug));
    void this.opened?.refresh();
  }

  /** Asks for a tool to be put into use. The question opens in the window that shows everything. */
  async approve(slug: string): Promise<void> {
    await this.#attempt("approve", async () => {
      this.asked = await this.#backend.call("library/approve", { slug, hold_ms: 0 });
      announce(t(`approve_status.${this.asked.status}`));
      if (this.asked.status === "approval_pending") await this.#backend.openApproval();
    });
  }

  async disable(slug: string): Promise<void> {
    await this.#attempt("disable", async () => {
      await this.#backend.call("library/disable", { slug });
      announce(t("library.disabled_done"));
    });
  }

  async archive(slug: string): Promise<void> {
    await this.#attempt("archive", async () => {
      await this.#backend.call("library/archive", { slug });
      announce(t("library.archived_done"));
    });
  }

  /** Removes a tool for good. Answers whether it is gone. */
  async remove(slug: string): Promise<boolean> {
    return this.#attempt("delete", async () => {
      await this.#backend.call("library/delete", { slug });
      announce(t("library.deleted_done"));
    });
  }

  /** Makes recipes of what repeats enough. */
  async analyze(): Promise<void> {
    await this.#attempt("analyze", async () => {
      const answer = await this.#backend.call("library/analyze", { limit: null });
      announce(tn("pattern.made", answer.created_tools.length));
    });
  }

  /** The question of this tool ended: what waits here waits no longer. */
  #settle(id: ApprovalId, outcome: Outcome): void {
    if (this.asked?.approval_id !== id) return;
    const isAllowed = outcome.startsWith("allowed");
    this.asked = { ...this.asked, status: isAllowed ? "ready" : (outcome as ApproveStatus) };
  }

  async #read(slug: string): Promise<OpenedTool> {
    const [view, history] = await Promise.all([
      this.#backend.call("library/read", { slug }),
      this.#backend.call("library/history", { slug }),
    ]);
    return { ...view, versions: history.versions };
  }

  async #attempt(what: ToolAction | "analyze", work: () => Promise<void>): Promise<boolean> {
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
      void this.list.refresh();
      void this.status.refresh();
      if (what !== "delete") void this.opened?.refresh();
    }
  }
}
