/** How long answers stay inert, so that a key or click meant for something else cannot answer. */
export const GRACE_MS = 700;

/**
 * The time after a change of what is on the screen in which no press counts.
 *
 * A press also has to *begin* after that time: a key or button held down across its end was meant
 * for whatever was there before.
 */
export class Grace {
  isOver = $state(false);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isPressTainted = false;

  restart(): void {
    this.stop();
    this.isOver = false;
    this.#timer = setTimeout(() => (this.isOver = true), GRACE_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** A key or pointer went down. */
  pressed(isRepeat = false): void {
    if (!isRepeat) this.#isPressTainted = !this.isOver;
    else if (!this.isOver) this.#isPressTainted = true;
  }

  /** It came up again; the click it causes is delivered before the taint is lifted. */
  released(): void {
    setTimeout(() => (this.#isPressTainted = false), 0);
  }

  /** Whether a press that arrives now may count. */
  get isPressTrusted(): boolean {
    return this.isOver && !this.#isPressTainted;
  }
}
