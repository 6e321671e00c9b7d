import { expect, test } from "vitest";
import { telemetryOf } from "$lib/ipc/fake/ledger";
import { builtin, ledgerRow, provider } from "$lib/ipc/fake/samples";
import { capUse, outcomesByProvider, spendByDay, tokensByDay } from "./figures";

const today = new Date().toISOString();
const rows = [
  ledgerRow({ id: 2, provider: "groq", at: today, input_tokens: 10, output_tokens: 5, cost_pico_usd: "0" }),
  ledgerRow({ id: 1, provider: "ollama", at: today, input_tokens: 7, output_tokens: null, cost_pico_usd: null }),
];

test("the stack of a day adds up to the host's sum of the day", () => {
  const telemetry = telemetryOf(rows, today.slice(0, 10));
  const figures = tokensByDay(telemetry, rows, "all");
  const sum = telemetry.days.at(-1)?.sum;
  const stacked = figures.rows.at(-1)?.values.reduce<number>((total, value) => total + (value ?? 0), 0);
  expect(figures.series).toEqual(["groq", "ollama"]);
  expect(stacked).toBe((sum?.input_tokens ?? 0) + (sum?.output_tokens ?? 0));
});

test("a list that is cut off is not split by provider, because the split would not add up", () => {
  const telemetry = telemetryOf(rows, today.slice(0, 10));
  const figures = tokensByDay(telemetry, rows.slice(0, 1), "all");
  expect(figures.series).toEqual(["all"]);
  expect(figures.rows.at(-1)?.values).toEqual([22]);
});

test("a day whose costs are all unknown is a gap, a day without calls is zero", () => {
  const [, unknown] = rows as [never, (typeof rows)[number]];
  const telemetry = telemetryOf([unknown], new Date(Date.now() - 86_400_000).toISOString().slice(0, 10));
  const values = spendByDay(telemetry, "spend").rows.map((row) => row.values[0]);
  expect(values).toEqual([0, null]);
});

test("caps are summed over the providers that have one", () => {
  expect(capUse([builtin()])).toBeNull();
  expect(capUse([builtin(), provider()])).toEqual({ spent: "5880000000000", cap: "10000000000000", part: 0.588 });
});

test("outcomes are counted from calls, and a running call is neither done nor failed", () => {
  const calls = [
    ledgerRow({ id: 3, provider: "groq", at: today, status: "reserved" }),
    ledgerRow({ id: 2, provider: "groq", at: today, status: "error" }),
    ...rows.slice(0, 1),
  ];
  const telemetry = telemetryOf(calls, today.slice(0, 10));
  expect(outcomesByProvider(telemetry, calls).get("groq")).toEqual({ ok: 1, failed: 1, running: 1 });
});

test("outcomes are not told from a list that is cut off", () => {
  const telemetry = telemetryOf(rows, today.slice(0, 10));
  expect(outcomesByProvider(telemetry, rows.slice(0, 1)).size).toBe(0);
});
