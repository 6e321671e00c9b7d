import { expect, test } from "vitest";
import { since } from "$features/shell/observatory.svelte";
import { SPANS, spanOf, startOf } from "./span";

const NOW = Date.parse("2026-03-09T22:30:00Z");

test("everything has no start, hours go back from now, days start where those of the overview do", () => {
  expect(SPANS.map((span) => startOf(span, NOW))).toEqual([
    null,
    "2026-03-08T22:30:00.000Z",
    "2026-03-03T00:00:00.000Z",
    "2026-02-08T00:00:00.000Z",
  ]);
  expect(startOf(7, NOW)).toBe(since(7, NOW));
});

test("a word that is no span is everything, and so is the overview's today", () => {
  expect(["", "24h", "7", "30", "1", "planet"].map(spanOf)).toEqual(["all", "24h", 7, 30, "all", "all"]);
});
