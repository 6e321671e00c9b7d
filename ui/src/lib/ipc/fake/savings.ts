import type { ResponseOf } from "../backend";
import { failed, type FakeBackend } from "./fake-backend";
import { inMinutes } from "./samples";
import { letterTotals, savedTotals } from "./worker";
import type { World } from "./world";

export type FakeReport = ResponseOf<"savings/report">;
type Row = FakeReport["rows"][number];

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
    // 600 tokens were handed back beyond what their turns read.
    all_time: savedTotals({
      turns: 39,
      measured_turns: 21,
      gathered_tokens: 425_300,
      returned_tokens: 20_640,
      avoided_input: 405_260,
      carried: 3_242_080,
      usd: "2.1583",
    }),
    sessions: 2,
    imported_turns: 0,
    since: inMinutes(-20_000),
    rows: rowsBy(null),
    ...changes,
  };
}

/** Before the worker did anything. */
export function noSavings(): FakeReport {
  const zero = { avoided_input: 0, avoided_output: 0, carried: 0, gathered_tokens: 0, returned_tokens: 0 };
  return savingsReport({
    prices_stale: false,
    all_time: savedTotals({ ...zero, turns: 0, measured_turns: 0, usd: "0.0000" }),
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

/** Savings over a world: rows of the asked kind, and older turns that are counted once. */
export function savingsHandlers(world: World): FakeBackend["handlers"] {
  return {
    "savings/report": ({ by, session }) => {
      if (by !== null && !["model", "client", "session"].includes(by))
        throw failed("invalid_input", `\`by\` is \`${by}\``, "use `model`, `client` or `session`");
      const known = world.sessions.find((each) => each.key === session);
      return {
        ...world.savings,
        rows: world.savings.all_time.turns > 0 ? rowsBy(by) : [],
        session: session === null ? null : (known?.tokens_saved ?? noSavings().all_time),
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
