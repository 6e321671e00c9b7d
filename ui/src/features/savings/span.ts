import { since } from "$features/shell/observatory.svelte";

/** What a report can be about: everything, the hours just past, or days as the overview has them. */
export const SPANS = ["all", "24h", 7, 30] as const;
export type Span = (typeof SPANS)[number];

const DAY_MS = 86_400_000;

/** The span that an address names; everything for none, and for a word that is no span. */
export function spanOf(text: string): Span {
  return SPANS.find((each) => String(each) === text) ?? "all";
}

/** The first moment of a span; null for everything. */
export function startOf(span: Span, now: number): string | null {
  if (span === "all") return null;
  return span === "24h" ? new Date(now - DAY_MS).toISOString() : since(span, now);
}
