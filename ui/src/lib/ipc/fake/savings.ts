import type { ResponseOf } from "../backend";
import { failed, type FakeBackend } from "./fake-backend";
import { inMinutes } from "./samples";
import { letterTotals, noTotals, savedTotals } from "./worker";
import type { World } from "./world";

export type FakeReport = ResponseOf<"savings/report">;
type Row = FakeReport["rows"][number];
type Totals = FakeReport["all_time"];

/** Turns of one conversation that were counted at about the same time. */
export interface CountedTurns {
  at: string;
  client: string;
  session: string;
  totals: Totals;
}

/** What the sums of the sample add up: today's turns about a thread, and those about a letter in the weeks before. */
export function sampleCounted(): CountedTurns[] {
  const letter = { client: "claude-code", session: "7a5e-letter" };
  const [all, some] = [letterTotals(), { turns: 1, measured_turns: 0 }];
  const parts = [
    { ...some, gathered_tokens: 2000, returned_tokens: 300, avoided_input: 1700, avoided_output: 240, carried: 13_600 },
    { ...some, gathered_tokens: 4000, returned_tokens: 600, avoided_input: 3400, avoided_output: 540, carried: 27_200 },
  ].map((each, index) => ({ ...each, usd: ["0.0108", "0.0216"][index] ?? "0.0000" }));
  return [
    ...parts.map((totals, index) => ({ ...letter, at: inMinutes(index === 0 ? -60_000 : -20_000), totals })),
    { ...letter, at: inMinutes(-2100), totals: parts.reduce((left, part) => added(left, part, -1), all) },
    { at: inMinutes(-170), client: "codex-mcp-client", session: "0199c2f4-thread", totals: savedTotals() },
  ];
}

/** Two sums as one, or with -1 the first without the second; an amount is unknown where either is. */
function added(one: Totals, other: Totals, sign = 1): Totals {
  const usd = one.usd === null || other.usd === null ? null : (Number(one.usd) + sign * Number(other.usd)).toFixed(4);
  return {
    turns: one.turns + sign * other.turns,
    measured_turns: one.measured_turns + sign * other.measured_turns,
    gathered_tokens: one.gathered_tokens + sign * other.gathered_tokens,
    returned_tokens: one.returned_tokens + sign * other.returned_tokens,
    avoided_input: one.avoided_input + sign * other.avoided_input,
    avoided_output: one.avoided_output + sign * other.avoided_output,
    carried: one.carried + sign * other.carried,
    usd,
  };
}

function sumOf(parts: CountedTurns[]): Totals {
  return parts.reduce((sum, part) => added(sum, part.totals), noTotals());
}

/** How much of a whole a part is. */
function part(one: number, whole: number): number {
  return whole === 0 ? 0 : one / whole;
}

/** So much of a sum's tokens and money; without a price there is none. */
function shareOf(totals: Totals, share: number): Totals {
  return {
    ...totals,
    avoided_input: Math.round(totals.avoided_input * share),
    avoided_output: Math.round(totals.avoided_output * share),
    carried: Math.round(totals.carried * share),
    usd: totals.usd === null ? null : (Number(totals.usd) * share).toFixed(4),
  };
}

export function savingsRow(changes: Partial<Row> = {}): Row {
  return {
    name: "example-large-5",
    totals: savedTotals({ turns: 39, measured_turns: 21, avoided_input: 526_840, avoided_output: 8100 }),
    direct_usd: "1.7041",
    tokenizer_factor: "1.30",
    price_note: "https://provider.example/pricing, 2026-10-02; up to 200K tokens of input",
    ...changes,
  };
}

function rowsBy(by: string | null): Row[] {
  const noFactor = { tokenizer_factor: "1.00", price_note: "https://provider.example/pricing, 2026-10-02" };
  if (by === "client")
    return [
      savingsRow({
        ...noFactor,
        name: "claude-code",
        totals: letterTotals(),
        direct_usd: "0.0420",
      }),
      savingsRow({ ...noFactor, name: "codex-mcp-client", totals: savedTotals(), direct_usd: "1.2210" }),
    ];
  if (by === "session")
    return [
      savingsRow({ ...noFactor, name: "0199c2f4-thread", totals: savedTotals(), direct_usd: "1.2210" }),
      savingsRow({
        ...noFactor,
        name: "7a5e-letter",
        totals: letterTotals(),
        direct_usd: "0.0420",
      }),
    ];
  return [
    savingsRow(),
    savingsRow({
      name: "example-small-5",
      direct_usd: "0.1704",
      tokenizer_factor: "1.00",
      price_note: "https://provider.example/pricing, 2026-04-11 (stale)",
      totals: savedTotals({
        turns: 39,
        measured_turns: 21,
        avoided_input: 405_260,
        avoided_output: 6230,
        usd: "0.2101",
      }),
    }),
  ];
}

export function savingsReport(changes: Partial<FakeReport> = {}): FakeReport {
  return {
    method:
      "avoided_input = gathered - returned, never below 0. US dollars = tokens x prices; an estimate at list prices, and no bill.",
    assumptions: {
      chars_per_token: "3.8",
      context_reuse_calls: "8",
      "output_credit.delegate": "1",
      "output_credit.run": "0",
      "output_credit.verbatim": "0",
      stale_after_days: "30",
    },
    prices_checked: "2026-10-02",
    prices_age_days: 59,
    prices_stale: true,
    caller_model: "example-large-5",
    session: null,
    range: null,
    // 600 tokens were handed back beyond what their turns read.
    all_time: savedTotals({
      turns: 39,
      measured_turns: 21,
      gathered_tokens: 425_300,
      returned_tokens: 20_640,
      avoided_input: 405_260,
      avoided_output: 8100,
      carried: 3_242_080,
      usd: "2.1583",
    }),
    sessions: 2,
    imported_turns: 0,
    since: inMinutes(-60_000),
    rows: rowsBy(null),
    ...changes,
  };
}

/** Before the worker did anything. */
export function noSavings(): FakeReport {
  return savingsReport({
    prices_stale: false,
    all_time: noTotals(),
    sessions: 0,
    since: null,
    rows: [],
  });
}

/** A report at the prices of another model; one that has no price is passed over. */
export function headlined(report: FakeReport, model: string | null): FakeReport {
  const rows = rowsBy(null);
  const row = rows.find((each) => each.name === model) ?? rows[0];
  return { ...report, caller_model: row?.name ?? null, all_time: { ...report.all_time, usd: row?.totals.usd ?? null } };
}

/** The report of a world about the turns since a time: sums, rows and one conversation, as the host narrows them. */
function narrowed(world: World, by: string | null, session: string | null, since: string): FakeReport {
  const start = Date.parse(since);
  if (Number.isNaN(start)) throw failed("invalid_input", `\`${since}\` is no time`);
  const parts = world.counted.filter((each) => Date.parse(each.at) >= start);
  const whole = sumOf(world.counted);
  const range = sumOf(parts);
  // Amounts are at the prices of the headline, which may be those of another model by now.
  const { usd } = world.savings.all_time;
  const priced = (totals: Totals): Totals => ({
    ...totals,
    usd: usd && (Number(usd) * part(Number(totals.usd), Number(whole.usd))).toFixed(4),
  });
  const rows = rowsBy(by).map((row) => {
    const own = by === "session" || by === "client" ? parts.filter((each) => each[by] === row.name) : parts;
    const isModel = own === parts;
    const all = isModel ? whole : row.totals;
    const totals = sumOf(own);
    const share = part(totals.avoided_input, all.avoided_input);
    const direct_usd = row.direct_usd && (Number(row.direct_usd) * share).toFixed(4);
    const { turns, measured_turns } = totals;
    return { ...row, direct_usd, totals: isModel ? { ...shareOf(row.totals, share), turns, measured_turns } : totals };
  });
  return {
    ...world.savings,
    range: priced(range),
    session: session === null ? null : priced(sumOf(parts.filter((each) => each.session === session))),
    sessions: new Set(parts.map((part) => part.session)).size,
    since: parts[0]?.at ?? null,
    rows: rows.filter((row) => row.totals.turns > 0),
  };
}

/** Savings over a world: rows of the asked kind, and older turns that are counted once. */
export function savingsHandlers(world: World): FakeBackend["handlers"] {
  return {
    "savings/report": ({ by, session, since }) => {
      if (by !== null && !["model", "client", "session"].includes(by))
        throw failed("invalid_input", `\`by\` is \`${by}\``, "use `model`, `client` or `session`");
      if (since !== null) return narrowed(world, by, session, since);
      const known = world.sessions.find((each) => each.key === session);
      return {
        ...world.savings,
        rows: world.savings.all_time.turns > 0 ? rowsBy(by) : [],
        session: session === null ? null : (known?.tokens_saved ?? noTotals()),
      };
    },
    "savings/backfill": () => {
      const added = world.older_turns;
      world.older_turns = 0;
      const all = world.savings.all_time;
      world.savings = { ...world.savings, all_time: { ...all, turns: all.turns + added } };
      return { added, known: all.turns };
    },
  };
}
