import { utcDay } from "$lib/format/time";
import { dollars, share, sumMoney } from "$lib/format/money";
import type { LedgerRow, ProviderView, Telemetry } from "$lib/ipc/generated/protocol";

/** Numbers by day, ready to be drawn or listed. */
export interface DayFigures {
  series: string[];
  rows: { label: string; values: (number | null)[] }[];
}

/**
 * Tokens by UTC day, stacked by provider.
 *
 * The sums of a day come from the host without providers, so the split is counted from the calls. When
 * the list of calls is cut off the split would not add up to the day, and the days stand alone.
 */
export function tokensByDay(telemetry: Telemetry, rows: LedgerRow[], whole: string): DayFigures {
  if (rows.length < telemetry.total.calls) {
    const days = telemetry.days.map(({ day, sum }) => ({
      label: utcDay(day),
      values: [sum.input_tokens + sum.output_tokens],
    }));
    return { series: [whole], rows: days };
  }
  const series = telemetry.providers.map((each) => each.provider);
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = `${row.at.slice(0, 10)} ${row.provider}`;
    counts.set(key, (counts.get(key) ?? 0) + (row.input_tokens ?? 0) + (row.output_tokens ?? 0));
  }
  const days = telemetry.days.map(({ day }) => ({
    label: utcDay(day),
    values: series.map((provider) => counts.get(`${day} ${provider}`) ?? 0),
  }));
  return { series, rows: days };
}

/** Known spend by UTC day in dollars; a day with calls of which no cost is known is a gap, not zero. */
export function spendByDay(telemetry: Telemetry, name: string): DayFigures {
  const rows = telemetry.days.map(({ day, sum }) => {
    const isUnknown = sum.calls > 0 && sum.cost_known === 0;
    return { label: utcDay(day), values: [isUnknown ? null : dollars(sum.cost_pico_usd)] };
  });
  return { series: [name], rows };
}

/** What is spent of the monthly caps that are set, together. */
export interface CapUse {
  spent: string;
  cap: string;
  part: number | null;
}

export function capUse(providers: ProviderView[]): CapUse | null {
  const capped = providers.filter((each) => each.monthly_cap_pico_usd !== null);
  if (capped.length === 0) return null;
  const spent = sumMoney(capped.map((each) => each.spent_this_month_pico_usd));
  const cap = sumMoney(capped.map((each) => each.monthly_cap_pico_usd ?? "0"));
  return { spent, cap, part: share(spent, cap) };
}

/** Calls of one provider by how they went. */
export interface Outcomes {
  ok: number;
  failed: number;
  running: number;
}

/**
 * How the calls of each provider went.
 *
 * The host counts calls and failures; a call that still runs is told apart by the list alone. When the
 * list is cut off nothing is told, because running calls would pass for good ones.
 */
export function outcomesByProvider(telemetry: Telemetry, rows: LedgerRow[]): Map<string, Outcomes> {
  const found = new Map<string, Outcomes>();
  if (rows.length < telemetry.total.calls) return found;
  for (const row of rows) {
    const known = found.get(row.provider) ?? { ok: 0, failed: 0, running: 0 };
    if (row.status === "ok") known.ok += 1;
    else if (row.status === "error") known.failed += 1;
    else known.running += 1;
    found.set(row.provider, known);
  }
  return found;
}
