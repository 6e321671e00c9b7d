/** Below this the host is asked for the full time again while the human is here. */
const EXTEND_BELOW_MS = 60_000;
const TICK_MS = 1000;

/**
 * The time until silence becomes a no.
 *
 * The clock stands while the human is here, which is made true by asking the host for more time: when
 * less than a minute is left, and once when they leave. The host's deadline stays the only one that counts.
 */
export class Countdown {
  remainingMs = $state(0);
  isPaused = $state(false);
  #deadline: number | null = null;
  #hasFocus = false;
  #hasPointer = false;
  #isExtending = false;
  readonly #extend: () => Promise<void>;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(extend: () => Promise<void>) {
    this.#extend = extend;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Counts towards another moment, or towards none. */
  aim(expiresAt: string | null): void {
    this.#deadline = expiresAt === null ? null : new Date(expiresAt).getTime();
    this.remainingMs = this.#real();
  }

  focusChanged(hasFocus: boolean): void {
    this.#hasFocus = hasFocus;
    this.#attend();
  }

  pointerChanged(isInside: boolean): void {
    this.#hasPointer = isInside;
    this.#attend();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #real(): number {
    return this.#deadline === null ? 0 : Math.max(0, this.#deadline - Date.now());
  }

  #attend(): void {
    const isHere = this.#hasFocus || this.#hasPointer;
    if (this.isPaused === isHere) return;
    this.isPaused = isHere;
    if (!isHere && this.#real() < this.remainingMs - TICK_MS) void this.#askForTime();
  }

  #tick(): void {
    if (this.#deadline === null) return;
    if (!this.isPaused) this.remainingMs = this.#real();
    else if (this.#real() > 0 && this.#real() < EXTEND_BELOW_MS) void this.#askForTime();
  }

  async #askForTime(): Promise<void> {
    if (this.#isExtending) return;
    this.#isExtending = true;
    try {
      await this.#extend();
    } finally {
      this.#isExtending = false;
      if (!this.isPaused) this.remainingMs = this.#real();
    }
  }
}
