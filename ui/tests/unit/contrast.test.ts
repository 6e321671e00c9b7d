import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync("src/styles/tokens.css", "utf8");

/** Every colour that is a pair of light and dark. */
const colours = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((match) => [
    match[1] ?? "",
    [match[2] ?? "", match[3] ?? ""] as const,
  ]),
);

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
}

function contrast(front: string, back: string): number {
  const [a, b] = [luminance(front), luminance(back)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function pair(front: string, back: string, theme: 0 | 1): number {
  const [one, other] = [colours.get(front), colours.get(back)];
  if (!one || !other) throw new Error(`no such token: ${front} or ${back}`);
  return contrast(one[theme], other[theme]);
}

const GROUNDS = ["ground", "surface", "sunken"];
const TEXT: [string, string][] = [
  ...["text", "text-soft"].flatMap((front) => GROUNDS.map((back): [string, string] => [front, back])),
  ...["accent", "attention"].flatMap((front) => GROUNDS.map((back): [string, string] => [front, back])),
  ...["danger"].flatMap((front) => ["ground", "surface"].map((back): [string, string] => [front, back])),
  ...["accent", "good", "attention", "danger"].map((front): [string, string] => [front, `${front}-soft`]),
  ...["text", "text-soft", "accent"].flatMap((front) =>
    ["attention-soft", "danger-soft"].map((back): [string, string] => [front, back]),
  ),
  ["on-accent", "accent"],
];
const SHAPES: [string, string][] = [
  ...["control-line", "accent"].flatMap((front) => GROUNDS.map((back): [string, string] => [front, back])),
  ...[1, 2, 3, 4, 5, 6].map((series): [string, string] => [`series-${series}`, "surface"]),
];

for (const theme of [0, 1] as const) {
  const name = theme === 0 ? "light" : "dark";
  test.each(TEXT)(`${name}: text %s on %s has 4.5 to 1`, (front, back) => {
    expect(pair(front, back, theme)).toBeGreaterThanOrEqual(4.5);
  });
  test.each(SHAPES)(`${name}: the shape %s on %s has 3 to 1`, (front, back) => {
    expect(pair(front, back, theme)).toBeGreaterThanOrEqual(3);
  });
}

test("every colour is a pair, so that no theme is forgotten", () => {
  const root = css.slice(0, css.indexOf("--space-1"));
  const plain = [...root.matchAll(/--([\w-]+): (?!light-dark)/g)].map((match) => match[1]);
  expect(plain).toEqual([]);
  expect(colours.size).toBeGreaterThan(20);
});

test("forced colours replace every colour that carries meaning", () => {
  const forced = css.slice(css.indexOf("@media (forced-colors"));
  const needed = [...colours.keys()].filter((name) => !name.startsWith("series-"));
  expect(needed.filter((name) => !forced.includes(`--${name}:`))).toEqual([]);
});

test("buttons and fields are at least 32 px high", () => {
  expect(css).toMatch(/--control-height: 32px/);
  expect(css).toMatch(/--control-gap: 8px/);
});
