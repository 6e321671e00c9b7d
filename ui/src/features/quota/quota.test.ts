import { expect, test } from "vitest";
import { quota } from "$lib/ipc/fake/router";
import { amount, byProvider, confidenceText, isOld, isOver, leftText, usedPart, windowText } from "./quota";

test.each([
  ["1000", "requests", "1,000 requests"],
  ["4120000000000", "pico-dollars", "$4.12"],
  ["-120000000000", "pico-dollars", "−$0.12"],
  ["2500", "thousandths of a credit", "2.5 credits"],
  ["9007199254740993", "tokens", "9,007,199,254,740,993 tokens"],
  ["12.5", "units", "12.5 units"],
])("%s %s reads %s", (value, unit, text) => {
  expect(amount(value, unit)).toBe(text);
});

test.each([
  [{ limit: "1000", remaining: "240" }, "240 of 1,000 requests left"],
  [{ limit: null, remaining: "240" }, "240 requests left"],
  [{ limit: "1000", remaining: null }, "1,000 requests in all; what is left was not said"],
  [{ limit: null, remaining: null }, "No amount was said"],
  [{ limit: "1000", remaining: "0" }, "0 of 1,000 requests left"],
])("%o reads %s", (changes, text) => {
  expect(leftText(quota(changes))).toBe(text);
});

test("the used part is told only when both numbers were said", () => {
  expect(usedPart(quota({ limit: "1000", remaining: "250" }))).toBe(0.75);
  expect(usedPart(quota({ limit: "1000", remaining: null }))).toBeNull();
  expect(usedPart(quota({ limit: null, remaining: "5" }))).toBeNull();
  expect(usedPart(quota({ limit: "0", remaining: "0" }))).toBeNull();
  expect(usedPart(quota({ limit: "10", remaining: "12" }))).toBe(0);
});

test("a reading of more than a day ago is old, and a window that has ended is over", () => {
  const now = Date.UTC(2026, 10, 29, 12);
  const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
  expect([isOld(quota({ observed_at: at(-25) }), now), isOld(quota({ observed_at: at(-23) }), now)]).toEqual([
    true,
    false,
  ]);
  expect(isOver(quota({ resets_at: at(-1) }), now)).toBe(true);
  expect(isOver(quota({ resets_at: at(1) }), now)).toBe(false);
  expect(isOver(quota({ resets_at: null }), now)).toBe(false);
});

test("windows and confidences have words, and one without a word keeps its name", () => {
  expect([windowText(quota()), windowText(quota({ window: "moons" }))]).toEqual(["Requests a day", "moons"]);
  expect([confidenceText(quota()), confidenceText(quota({ confidence: "odd" }))]).toEqual(["as stated", "odd"]);
});

test("quotas are grouped by provider in the order of the list", () => {
  const all = [quota({ provider: "b" }), quota({ provider: "a" }), quota({ provider: "b", window: "tokens_day" })];
  expect(byProvider(all).map((group) => [group.provider, group.quotas.length])).toEqual([
    ["b", 2],
    ["a", 1],
  ]);
});
