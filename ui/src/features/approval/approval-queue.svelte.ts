import type { ApprovalItem, Outcome } from "$lib/ipc/generated/protocol";

/** How a question ended while it was on the screen. */
export interface Ending {
  outcome: Outcome | null;
  reason: string | null;
}

/**
 * The open questions in order of arrival, and the one that is shown.
 *
 * What is shown changes only by {@link step} and {@link leaveShown}, which are the human's doing, or
 * when nothing was shown. A question that ends while it is shown stays, with its ending.
 */
export class ApprovalQueue {
  items = $state.raw<ApprovalItem[]>([]);
  shownId = $state<string | null>(null);
  ending = $state.raw<Ending | null>(null);

  get shown(): ApprovalItem | null {
    return this.items.find((item) => item.id === this.shownId) ?? null;
  }

  get index(): number {
    return this.items.findIndex((item) => item.id === this.shownId);
  }

  /** Takes over what the host lists as open. Answers whether the shown question is gone from it. */
  replace(open: ApprovalItem[]): boolean {
    const shown = this.shown;
    const isGone = shown !== null && this.ending === null && !open.some((item) => item.id === shown.id);
    const isKept = shown !== null && !open.some((item) => item.id === shown.id);
    const at = Math.min(this.index, open.length);
    this.items = isKept ? [...open.slice(0, at), shown, ...open.slice(at)] : open;
    this.#showFirstIfNone();
    return isGone;
  }

  put(item: ApprovalItem): void {
    const isKnown = this.items.some((each) => each.id === item.id);
    if (isKnown) this.items = this.items.map((each) => (each.id === item.id ? item : each));
    else if (item.outcome === null) this.items = [...this.items, item];
    this.#showFirstIfNone();
  }

  /** Notes that a question ended. */
  end(id: string, ending: Ending): void {
    if (id === this.shownId) this.ending = ending;
    else this.items = this.items.filter((item) => item.id !== id);
  }

  /** Shows the question so many places on; an ended one is left behind for good. */
  step(by: 1 | -1): void {
    const target = this.items[this.index + by];
    if (!target) return;
    if (this.ending) this.items = this.items.filter((item) => item.id !== this.shownId);
    this.#show(target.id);
  }

  /** Puts the shown question away and shows the one that follows it, else the first. */
  leaveShown(): void {
    const at = this.index;
    this.items = this.items.filter((item) => item.id !== this.shownId);
    this.#show((this.items[at] ?? this.items[0])?.id ?? null);
  }

  #showFirstIfNone(): void {
    if (this.shown === null) this.#show(this.items[0]?.id ?? null);
  }

  #show(id: string | null): void {
    this.shownId = id;
    this.ending = null;
  }
}
