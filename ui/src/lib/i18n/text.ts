import catalogue from "./en.json";

export type TextKey = keyof typeof catalogue;

/** Keys that have a form for one and a form for more, named without their ending. */
export type CountedKey = Extract<TextKey, `${string}_other`> extends `${infer Stem}_other` ? Stem : never;

type Values = Record<string, string | number>;

const plurals = new Intl.PluralRules("en");

function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text for a key, with `{name}` replaced. */
export function t(key: TextKey, values: Values = {}): string {
  return fill(catalogue[key], values);
}

/** The text for a count; `{count}` stands for it unless the values say otherwise. */
export function tn(stem: CountedKey, count: number, values: Values = {}): string {
  const key = `${stem}_${plurals.select(count) === "one" ? "one" : "other"}` as TextKey;
  return fill(catalogue[key], { count, ...values });
}
