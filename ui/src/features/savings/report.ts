import { csv } from "$lib/format/csv";
import { money, roundMoney } from "$lib/format/money";
import type { SavingsReport, SavingsRow, SavingsTotals } from "$lib/ipc/generated/protocol";

export type Totals = SavingsTotals;
export type Row = SavingsRow;
export type Report = SavingsReport;

/** What the rows of a report can be of. */
export const BY = ["model", "client", "session"] as const;
export type By = (typeof BY)[number];

/** Pico-dollars of an amount in dollars with four decimals, as the host writes estimates. */
function pico(usd: string): string {
  const [whole = "0", decimals = ""] = usd.split(".");
  return `${BigInt(whole + decimals.padEnd(12, "0").slice(0, 12))}`;
}

/** An estimate in dollars to the cent; less than the host's last decimal is no nothing where tokens were spared. */
export function estimate(usd: string, hasTokens: boolean): string {
  const amount = pico(usd);
  if (BigInt(amount) === 0n && hasTokens) return "<$0.0001";
  return roundMoney(amount);
}

/** The same with every digit that the host handed over. */
export function estimateExactly(usd: string): string {
  return money(pico(usd));
}

/** Whether an estimate says that more was spent than saved. */
export function isLoss(usd: string): boolean {
  return BigInt(pico(usd)) < 0n;
}

/**
 * Input tokens read here less input tokens handed back, over all turns and with no floor. Answers to what clients
 * brought themselves count as handed back, because clients do read them.
 */
export function net(totals: Totals): number {
  return totals.gathered_tokens - totals.returned_tokens;
}

/**
 * Tokens that were handed back beyond what their own turn read. The host counts each such turn as 0 and not as less,
 * so this is what its sum leaves out: the sum less the net.
 */
export function beyond(totals: Totals): number {
  return totals.avoided_input - net(totals);
}

/** The sums that a report is about: those of its range, or of everything. */
export function sumsOf(report: Report): Totals {
  return report.range ?? report.all_time;
}

/** Whether a sum rests on counts alone, on characters alone, or on both. */
export function basis(totals: Totals): "counted" | "mixed" | "estimated" {
  if (totals.measured_turns === 0) return "estimated";
  return totals.measured_turns === totals.turns ? "counted" : "mixed";
}

/** Rows as they are listed: models as the list of prices has them, others with the largest first. */
export function ordered(rows: Row[], by: By): Row[] {
  if (by === "model") return rows;
  return [...rows].sort(
    ({ totals: one }, { totals: other }) => other.avoided_input - one.avoided_input || net(other) - net(one),
  );
}

/** The formula in words, and what the host notes beside it. */
export function methodOf(report: Report): { formula: string; note: string } {
  const [formula = "", ...notes] = report.method.split("\nNote: ");
  return { formula, note: notes.join("\n") };
}

/** A price's source and day, and whether that day was too long ago. */
export function priceOf(row: Row | undefined): { note: string; isStale: boolean } | null {
  if (!row || row.price_note === null) return null;
  const isStale = row.price_note.endsWith(" (stale)");
  return { note: isStale ? row.price_note.slice(0, -" (stale)".length) : row.price_note, isStale };
}

/** The rows for a spreadsheet, with the time that they start at; none for everything. */
export function savingsCsv(rows: Row[], by: By, from: string | null): string {
  const header = [
    by,
    "turns",
    "turns_counted_exactly",
    "input_tokens_not_read",
    "output_tokens_not_written",
    "input_tokens_not_carried",
    "direct_usd_estimate",
    "with_carry_usd_estimate",
    "tokenizer_factor",
    "price_from",
    "net_input_tokens",
    "since",
  ];
  const cells = rows.map(({ name, totals, direct_usd, tokenizer_factor, price_note }) => [
    name,
    totals.turns,
    totals.measured_turns,
    totals.avoided_input,
    totals.avoided_output,
    totals.carried,
    direct_usd,
    totals.usd,
    tokenizer_factor,
    price_note,
    // Tokens of a model are scaled by its factor, what was read and handed back is not.
    by === "model" ? null : net(totals),
    from,
  ]);
  return csv(header, cells);
}
