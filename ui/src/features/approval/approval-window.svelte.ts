import { announce } from "$lib/a11y/announce";
import { toFailure, type Backend, type ConnectionStatus } from "$lib/ipc/backend";
import type { Answer, ApprovalItem, Event, Failure } from "$lib/ipc/generated/protocol";
import { t } from "$lib/i18n/text";
import { ApprovalQueue } from "./approval-queue.svelte";
import { Countdown } from "./countdown.svelte";
import { Grace } from "./grace.svelte";

/** The window that asks: what it shows, when an answer counts, and what an answer does. */
export class ApprovalWindow {
  readonly queue = new ApprovalQueue();
  readonly grace = new Grace();
  readonly countdown: Countdown;
  connection = $state.raw<ConnectionStatus>({ state: "connecting", detail: null });
  failure = $state.raw<Failure | null>(null);
  isLoaded = $state(false);
  isDeciding = $state(false);
  reason = $state("");
  /** Moves whenever focus has to go to Deny: at the start and after each change of the question. */
  focusTurn = $state(0);
  readonly #backend: Backend;
  readonly #endings: (() => void)[] = [];

  constructor(backend: Backend) {
    this.#backend = backend;
    this.countdown = new Countdown(() => this.keepWaiting());
    this.connection = backend.connection();
    this.#endings.push(
      backend.onEvent((event) => this.#onEvent(event)),
      backend.onConnection((status) => this.#onConnection(status)),
    );
    this.grace.restart();
    if (this.connection.state !== "connecting") void this.load();
  }

  get shown(): ApprovalItem | null {
    return this.queue.shown;
  }

  /** Whether an answer is possible at all; the grace period comes on top. */
  get isAnswerable(): boolean {
    return this.shown !== null && !this.queue.ending && !this.isDeciding && this.connection.state === "ready";
  }

  /** Whether the answers should look alive. */
  get isLive(): boolean {
    return this.isAnswerable && this.grace.isOver;
  }

  async load(): Promise<void> {
    const before = this.queue.shownId;
    try {
      const list = await this.#backend.call("approval/list", { with_answered: false, limit: null });
      const open = list.approvals.filter((item) => item.outcome === null);
      const isShownGone = this.queue.replace(open);
      this.failure = null;
      if (isShownGone) await this.#learnEnding();
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
    this.isLoaded = true;
    this.#afterChange(before);
  }

  /** Sends an answer. A press that may not be meant, and an answer that is not offered, do nothing. */
  async answer(answer: Answer, variant: string | null = null): Promise<void> {
    const item = this.shown;
    if (!item || !this.isAnswerable || !this.grace.isPressTrusted) return;
    const isOffered = item.variants.some((known) => known.id === variant && known.answer === answer);
    if (answer !== "deny" && !isOffered && !item.offers.includes(answer)) return;
    this.isDeciding = true;
    const reason = answer === "deny" && this.reason.trim() !== "" ? this.reason.trim() : null;
    try {
      await this.#backend.call("approval/decide", { id: item.id, answer, reason, code: null, variant });
      this.failure = null;
      this.#leave();
    } catch (thrown) {
      // The question may have ended elsewhere; then its ending says more than the refusal does.
      await this.load();
      if (this.queue.shownId === item.id && !this.queue.ending) this.failure = toFailure(thrown);
    } finally {
      this.isDeciding = false;
    }
  }

  /** Puts a question away that has already ended. Answers nothing. */
  dismissEnded(): void {
    if (this.queue.ending) this.#leave();
  }

  step(by: 1 | -1): void {
    const before = this.queue.shownId;
    this.queue.step(by);
    this.#afterChange(before);
  }

  async keepWaiting(): Promise<void> {
    const item = this.shown;
    if (!item || this.queue.ending) return;
    try {
      this.#take(await this.#backend.call("approval/extend", { id: item.id }));
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
  }

  windowFocused(): void {
    this.grace.restart();
    this.countdown.focusChanged(true);
  }

  windowBlurred(): void {
    this.countdown.focusChanged(false);
  }

  /** The window came back into view; it may have been hidden for hours. */
  windowShown(): void {
    this.grace.restart();
    this.focusTurn += 1;
    void this.load();
  }

  /** Asks for a window that shows so much height; without one the content scrolls. */
  fit(height: number): void {
    void this.#backend.fitWindow(window.innerWidth, height).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#backend.closeWindow();
  }

  stop(): void {
    for (const end of this.#endings) end();
    this.grace.stop();
    this.countdown.stop();
  }

  #leave(): void {
    const before = this.queue.shownId;
    this.queue.leaveShown();
    this.#afterChange(before);
  }

  #take(item: ApprovalItem): void {
    const before = this.queue.shownId;
    this.queue.put(item);
    this.#afterChange(before);
  }

  #afterChange(before: string | null): void {
    this.countdown.aim(this.queue.ending ? null : (this.shown?.expires_at ?? null));
    if (this.queue.shownId === before) return;
    this.reason = "";
    this.failure = null;
    this.grace.restart();
    this.focusTurn += 1;
    // The first question is announced by the dialog itself when it takes focus.
    if (before !== null) announce(this.shown ? this.shown.title : t("approval.empty_title"));
  }

  async #learnEnding(): Promise<void> {
    const id = this.queue.shownId;
    if (id === null) return;
    const item = await this.#backend.call("approval/show", { id }).catch(() => null);
    this.#end(id, item?.outcome ?? null, item?.outcome_reason ?? null);
  }

  #end(id: string, outcome: ApprovalItem["outcome"], reason: string | null): void {
    this.queue.end(id, { outcome, reason });
    if (id !== this.queue.shownId) return;
    this.countdown.aim(null);
    announce(t("approval.closed_announcement"), "assertive");
  }

  #onEvent(event: Event): void {
    if (event.type === "approval_opened" || event.type === "approval_changed") this.#take(event.approval);
    // Our own answer comes back as an event too; the answer's own path moves the queue on.
    else if (event.type === "approval_closed" && !(this.isDeciding && event.id === this.queue.shownId))
      this.#end(event.id, event.outcome, event.reason);
    else if (event.type === "lagged") void this.load();
  }

  #onConnection(status: ConnectionStatus): void {
    const wasReady = this.connection.state === "ready";
    this.connection = status;
    if (status.state === "connecting" || (status.state === "ready" && wasReady)) return;
    this.grace.restart();
    void this.load();
  }
}
