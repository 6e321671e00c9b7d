import { expect, test } from "vitest";
import shared from "$lib/i18n/en.json";
import main from "$lib/i18n/en.main.json";
import { t, tn } from "$lib/i18n/text";
import { reachedFrom, sources } from "./sources";

const catalogue = { ...shared, ...main };
const keys = Object.keys(catalogue);
const files = sources(/\.(svelte|ts)$/);
/** Read by the tray and the notifications, outside this folder. */
const SHELL = /^(tray|notification)\./;

function used(among = files): { exact: Set<string>; prefixes: Set<string>; counted: Set<string> } {
  const found = { exact: new Set<string>(), prefixes: new Set<string>(), counted: new Set<string>() };
  for (const { text } of among) {
    for (const match of text.matchAll(/\bt\(\s*"([^"]+)"/g)) found.exact.add(match[1] ?? "");
    for (const match of text.matchAll(/\btn\(\s*"([^"]+)"/g)) found.counted.add(match[1] ?? "");
    for (const match of text.matchAll(/\bt\(\s*`([\w.]*)\$\{/g)) found.prefixes.add(match[1] ?? "");
    for (const match of text.matchAll(/\bword\(\s*"([^"]+)"/g)) found.prefixes.add(`${match[1]}.`);
    // The filter bar picks among three families of words by the name of the column.
    for (const match of text.matchAll(/\bprefix[^=\n]*= \{ ([^}]+) \}/g)) {
      for (const family of (match[1] ?? "").matchAll(/"(\w+)"/g)) found.prefixes.add(`${family[1]}.`);
    }
  }
  found.prefixes.delete("");
  return found;
}

test("every key that is used exists", () => {
  const { exact, counted, prefixes } = used();
  expect([...exact].filter((key) => !keys.includes(key))).toEqual([]);
  expect([...counted].filter((stem) => !keys.includes(`${stem}_one`) || !keys.includes(`${stem}_other`))).toEqual([]);
  expect([...prefixes].filter((prefix) => !keys.some((key) => key.startsWith(prefix)))).toEqual([]);
  expect(exact.size).toBeGreaterThan(100);
});

test("every key that exists is used", () => {
  const { exact, counted, prefixes } = used();
  const idle = keys.filter((key) => {
    const stem = key.replace(/_(one|other)$/, "");
    const isDynamic = [...prefixes].some((prefix) => key.startsWith(prefix));
    return !exact.has(key) && !(counted.has(stem) && stem !== key) && !isDynamic && !SHELL.test(key);
  });
  expect(idle).toEqual([]);
});

test("the approval window loads every text that it shows, and no other", () => {
  const { exact, counted, prefixes } = used(reachedFrom("src/entries/approval/approval.ts"));
  const isShown = (key: string) =>
    exact.has(key) ||
    (counted.has(key.replace(/_(one|other)$/, "")) && /_(one|other)$/.test(key)) ||
    [...prefixes].some((prefix) => key.startsWith(prefix));
  expect(keys.filter(isShown).sort()).toEqual(Object.keys(shared).sort());
  expect(Object.keys(shared).filter((key) => key in main)).toEqual([]);
});

test("no text promises, blames or shouts", () => {
  const texts = Object.entries(catalogue);
  expect(texts.filter(([, text]) => /!|\b(safe|simply|just|easily|obviously|please|oops)\b/i.test(text))).toEqual([]);
});

test("buttons are verbs, none is Yes, No or OK", () => {
  expect(Object.entries(catalogue).filter(([, text]) => /^(yes|no|ok)$/i.test(text))).toEqual([]);
});

test("places in a text are filled and unknown places stay visible", () => {
  expect(t("approval.queue", { position: 1, total: 3 })).toBe("1 of 3 waiting");
  expect(t("approval.queue", { position: 1 })).toBe("1 of {total} waiting");
  expect(tn("waiting.questions", 1)).toBe("1 question");
  expect(tn("waiting.questions", 2)).toBe("2 questions");
});

/** The markup of a component without its script, style, comments and expressions. */
function markup(text: string): string {
  let bare = text.replace(/<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, "");
  // Innermost braces first, until none is left.
  for (let before = ""; before !== bare;) {
    before = bare;
    bare = bare.replace(/\{[^{}]*\}/g, "⟦⟧");
  }
  return bare;
}

test("no component holds a text that a person can read", () => {
  const found = files
    .filter(({ path }) => path.endsWith(".svelte"))
    .flatMap(({ path, text }) => {
      const bare = markup(text);
      const attributes = [
        ...bare.matchAll(/\s(?:title|alt|placeholder|aria-label|aria-description)="([^"]*[A-Za-z][^"]*)"/g),
      ];
      const words = bare.replace(/<\/?[A-Za-z](?:"[^"]*"|[^>"])*>/g, " ").match(/[A-Za-z]{2,}/g) ?? [];
      return [...attributes.map((match) => match[1]), ...words].map((word) => `${path}: ${word}`);
    });
  expect(found).toEqual([]);
});

test("the check for readable texts finds one", () => {
  expect(markup("<p>{#if x}Hello{/if}</p><script>let a;</script>")).toContain("Hello");
});
