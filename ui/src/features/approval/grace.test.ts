import { beforeEach, expect, test, vi } from "vitest";
import { GRACE_MS, Grace } from "./grace.svelte";

beforeEach(() => {
  vi.useFakeTimers();
});

function startedGrace(): Grace {
  const grace = new Grace();
  grace.restart();
  return grace;
}

test("UX-6 nothing is trusted before the grace period is over", () => {
  const grace = startedGrace();
  vi.advanceTimersByTime(GRACE_MS - 1);
  expect(grace.isPressTrusted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(grace.isPressTrusted).toBe(true);
});

test("a restart counts from its own moment", () => {
  const grace = startedGrace();
  vi.advanceTimersByTime(GRACE_MS - 1);
  grace.restart();
  vi.advanceTimersByTime(GRACE_MS - 1);
  expect(grace.isOver).toBe(false);
});

test("UX-21 a key held down across the end of the grace period stays untrusted until it is released", () => {
  const grace = startedGrace();
  grace.pressed();
  vi.advanceTimersByTime(GRACE_MS);
  grace.pressed(true);
  expect(grace.isPressTrusted).toBe(false);
  grace.released();
  vi.advanceTimersByTime(0);
  expect(grace.isPressTrusted).toBe(true);
});

test("UX-7 a key that was already down when the window came is caught by its repeats", () => {
  const grace = startedGrace();
  grace.pressed(true);
  vi.advanceTimersByTime(GRACE_MS);
  grace.pressed(true);
  expect(grace.isPressTrusted).toBe(false);
});
