import { expect, test } from "vitest";
import { bytes, exact, latency, short } from "./count";
import { csv } from "./csv";
import { dollars, money, perMillion, roundMoney, share, sumMoney } from "./money";
import { sentence } from "./sentence";
import { ago, countdown, utcDay } from "./time";
import { visible, visibleLines } from "./visible";

test.each([
  ["0", "$0.00"],
  ["140000000000", "$0.14"],
  ["1000000000000", "$1.00"],
  ["6000500000", "$0.006001"],
  ["999", "<$0.000001"],
  ["1234567000000000000", "$1,234,567.00"],
  ["-140000000000", "-$0.14"],
  ["-999", "-<$0.000001"],
])("%s pico-dollars read %s, as the host prints them", (pico, text) => {
  expect(money(pico)).toBe(text);
});

test.each([
  ["270713000000", "$0.27"],
  ["275000000000", "$0.28"],
  ["6000500000", "$0.006001"],
  ["-275000000000", "-$0.28"],
  ["-6000500000", "-$0.006001"],
])("%s pico-dollars as a headline read %s", (pico, text) => {
  expect(roundMoney(pico)).toBe(text);
});

test("amounts beyond what a number holds exactly are added exactly", () => {
  expect(sumMoney(["9007199254740993", "2"])).toBe("9007199254740995");
});

test("the price of a token reads as the price of a million", () => {
  expect(perMillion("1250000")).toBe("$1.25");
  expect(dollars("1500000000000")).toBe(1.5);
});

test("the used share of a cap stays between nothing and all, and no cap has none", () => {
  expect(share("5880000000000", "10000000000000")).toBeCloseTo(0.588);
  expect(share("20", "10")).toBe(1);
  expect(share("1", "0")).toBeNull();
});

test("counts are exact until ten thousand and short from there", () => {
  expect([short(9999), short(12_400), short(647_497)]).toEqual(["9,999", "12.4K", "647K"]);
  expect(exact(647_497)).toBe("647,497");
});

test("durations carry their unit", () => {
  expect([latency(820), latency(1240), latency(125_000)]).toEqual(["820 ms", "1.2 s", "2 min 5 s"]);
});

test("moments read as their distance from now", () => {
  const now = Date.UTC(2026, 10, 29, 12);
  expect(ago(now - 3 * 60_000, now)).toBe("3 minutes ago");
  expect(ago(now + 2 * 3_600_000, now)).toBe("in 2 hours");
  expect(ago(now - 4000, now)).toBe("now");
  expect(ago(now - 86_400_000, now)).toBe("yesterday");
});

test("a UTC day keeps its name in every time zone", () => {
  expect(utcDay("2026-03-09")).toBe("9 Mar");
});

test("what is left is written in minutes and never below zero", () => {
  expect([countdown(580_000), countdown(3_723_000), countdown(-5)]).toEqual(["9:40", "1:02:03", "0:00"]);
});

test("hidden and reordering marks are written out, letters of any script stay", () => {
  expect(visible("a\u202Eb\u0007c\u200Dd")).toBe("a⟨U+202E⟩b⟨U+0007⟩c⟨U+200D⟩d");
  expect(visible("größe 圧縮")).toBe("größe 圧縮");
});

test("in a text of several lines line ends and tabs stay, everything else that hides is written out", () => {
  expect(visibleLines("a\n\tb\r\n\u202Ec\u001B[8m")).toBe("a\n\tb⟨U+000D⟩\n⟨U+202E⟩c⟨U+001B⟩[8m");
});

test("lengths carry their unit", () => {
  expect([bytes(54), bytes(999), bytes(2048), bytes(2_400_000)]).toEqual(["54 bytes", "999 bytes", "2.0 kB", "2.4 MB"]);
});

test("CSV quotes what has to be quoted, keeps unknown empty and disarms formulas", () => {
  expect(
    csv(
      ["a", "b"],
      [
        ['x "y", z', null],
        ["=1+1", -3],
      ],
    ),
  ).toBe('a,b\r\n"x ""y"", z",\r\n\'=1+1,-3\r\n');
});

test("a message of the host becomes a sentence", () => {
  expect(sentence("the database is locked")).toBe("The database is locked.");
  expect(sentence("invalid task `x`: did you mean `y`?")).toBe("Invalid task `x`: did you mean `y`?");
  expect(sentence("run `lwa host`")).toBe("Run `lwa host`");
});
