/** The present, moving in steps, so that ages on the screen stay true. */
export class Clock {
  now = $state(Date.now());
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(stepMs: number) {
    this.#timer = setInterval(() => (this.now = Date.now()), stepMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
