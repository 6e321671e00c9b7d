import shared from "./en.json";
import type main from "./en.main.json";

type Texts = typeof shared & typeof main;

export type TextKey = keyof Texts;

/** Keys that have a form for one and a form for more, named without their ending. */
export type CountedKey = Extract<TextKey, `${string}_other`> extends `${infer Stem}_other` ? Stem : never;

type Values = Record<string, string | number>;

const plurals = new Intl.PluralRules("en");
let catalogue: Record<string, string> = shared;

/** Adds the texts of the main window. The approval window goes without them, because it has to open at once. */
export function addTexts(texts: typeof main): void {
  catalogue = { ...catalogue, ...texts };
}

function fill(key: string, values: Values): string {
  const text = catalogue[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text for a key, with `{name}` replaced. */
export function t(key: TextKey, values: Values = {}): string {
  return fill(key, values);
}

/** The text for a count; `{count}` stands for it unless the values say otherwise. */
export function tn(stem: CountedKey, count: number, values: Values = {}): string {
  return fill(`${stem}_${plurals.select(count) === "one" ? "one" : "other"}`, { count, ...values });
}

/** The word for a label of the host within a family of keys; a label that has none stays as it is. */
export function word(family: string, label: string): string {
  return catalogue[`${family}.${label}`] ?? label;
}
