import { csv } from "$lib/format/csv";
import { sumMoney } from "$lib/format/money";
import type { LedgerRow } from "$lib/ipc/generated/protocol";

/** What can be filtered by an exact value; each lives in the location hash under its own name. */
export const FILTERS = ["provider", "client", "task", "status", "billing"] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Record<Filter, string> & { text: string };

const VALUE: Record<Filter, (row: LedgerRow) => string> = {
  provider: (row) => row.provider,
  client: (row) => row.client,
  task: (row) => row.task,
  status: (row) => row.status,
  billing: (row) => row.billing_class,
};

export const SORTS = ["at", "tokens", "cost", "latency"] as const;
export type Sort = (typeof SORTS)[number];

/** The values that occur, for the choices of a filter. */
export function choices(rows: LedgerRow[], filter: Filter): string[] {
  return [...new Set(rows.map(VALUE[filter]))].sort();
}

function matches(row: LedgerRow, filters: Filters): boolean {
  if (!FILTERS.every((filter) => filters[filter] === "" || VALUE[filter](row) === filters[filter])) return false;
  const text = filters.text.toLowerCase();
  const fields = [row.provider, row.model, row.client, row.task, row.plan_id, row.error_code ?? ""];
  return text === "" || fields.some((field) => field.toLowerCase().includes(text));
}

function tokens(row: LedgerRow): number | null {
  if (row.input_tokens === null && row.output_tokens === null) return null;
  return (row.input_tokens ?? 0) + (row.output_tokens ?? 0);
}

const KEY: Record<Sort, (row: LedgerRow) => number | bigint | null> = {
  at: (row) => new Date(row.at).getTime(),
  tokens,
  cost: (row) => (row.cost_pico_usd === null ? null : BigInt(row.cost_pico_usd)),
  latency: (row) => row.latency_ms,
};

/** Rows that match, in order; what is unknown comes last in both directions. */
export function select(rows: LedgerRow[], filters: Filters, sort: Sort, isAscending: boolean): LedgerRow[] {
  const key = KEY[sort];
  return rows
    .filter((row) => matches(row, filters))
    .sort((a, b) => {
      const [left, right] = [key(a), key(b)];
      if (left === null || right === null) return left === right ? b.id - a.id : left === null ? 1 : -1;
      if (left === right) return b.id - a.id;
      return left < right === isAscending ? -1 : 1;
    });
}

/** Sums of what is shown, with how many rows had nothing to add. */
export interface Totals {
  calls: number;
  input: number;
  output: number;
  cost: string;
  costUnknown: number;
  tokensUnknown: number;
}

export function totals(rows: LedgerRow[]): Totals {
  return {
    calls: rows.length,
    input: rows.reduce((sum, row) => sum + (row.input_tokens ?? 0), 0),
    output: rows.reduce((sum, row) => sum + (row.output_tokens ?? 0), 0),
    cost: sumMoney(rows.map((row) => row.cost_pico_usd ?? "0")),
    costUnknown: rows.filter((row) => row.cost_pico_usd === null).length,
    tokensUnknown: rows.filter((row) => tokens(row) === null).length,
  };
}

/** What is shown, as CSV; money stays in pico-dollars, so that nothing is rounded away. */
export function ledgerCsv(rows: LedgerRow[]): string {
  const fields = [
    "at",
    "plan_id",
    "client",
    "session",
    "task",
    "provider",
    "model",
    "billing_class",
    "status",
    "error_code",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "cost_pico_usd",
    "latency_ms",
  ] as const;
  return csv(
    [...fields],
    rows.map((row) => fields.map((field) => row[field])),
  );
}
