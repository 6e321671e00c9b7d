import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Countdown } from "./countdown.svelte";

const MINUTE = 60_000;
let extend: ReturnType<typeof vi.fn<() => Promise<void>>>;
let countdown: Countdown;

beforeEach(() => {
  vi.useFakeTimers();
  extend = vi.fn(async () => countdown.aim(new Date(Date.now() + 10 * MINUTE).toISOString()));
  countdown = new Countdown(extend);
  countdown.aim(new Date(Date.now() + 10 * MINUTE).toISOString());
});

afterEach(() => countdown.stop());

test("it counts down while nobody is here", () => {
  vi.advanceTimersByTime(20_000);
  expect(countdown.remainingMs).toBe(9 * MINUTE + 40_000);
  expect(extend).not.toHaveBeenCalled();
});

test("UX-2 it stands while the window has focus", () => {
  vi.advanceTimersByTime(20_000);
  countdown.focusChanged(true);
  vi.advanceTimersByTime(3 * MINUTE);
  expect(countdown.remainingMs).toBe(9 * MINUTE + 40_000);
});

test("UX-2 it stands while the pointer is inside, focus or not", () => {
  countdown.focusChanged(true);
  countdown.pointerChanged(true);
  countdown.focusChanged(false);
  vi.advanceTimersByTime(MINUTE);
  expect(countdown.isPaused).toBe(true);
  expect(countdown.remainingMs).toBe(10 * MINUTE);
});

test("UX-1 the host is asked for time when less than a minute is left and the human is here", async () => {
  countdown.focusChanged(true);
  await vi.advanceTimersByTimeAsync(9 * MINUTE);
  expect(extend).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2000);
  expect(extend).toHaveBeenCalledTimes(1);
});

test("the host is not asked for time when nobody is here", async () => {
  await vi.advanceTimersByTimeAsync(11 * MINUTE);
  expect(extend).not.toHaveBeenCalled();
  expect(countdown.remainingMs).toBe(0);
});

test("leaving makes the stand true by asking for the time back, once", async () => {
  countdown.focusChanged(true);
  await vi.advanceTimersByTimeAsync(4 * MINUTE);
  countdown.focusChanged(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(extend).toHaveBeenCalledTimes(1);
  expect(countdown.remainingMs).toBe(10 * MINUTE);
});
