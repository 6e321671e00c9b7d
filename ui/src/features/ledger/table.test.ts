import { expect, test } from "vitest";
import { ledgerRow } from "$lib/ipc/fake/samples";
import { choices, ledgerCsv, select, totals, type Filters } from "./table";

const none: Filters = { text: "", provider: "", client: "", task: "", status: "", billing: "" };
const rows = [
  ledgerRow({ id: 1, provider: "groq", cost_pico_usd: "5", at: "2026-11-01T00:00:00Z", latency_ms: 10 }),
  ledgerRow({ id: 2, provider: "ollama", cost_pico_usd: null, at: "2026-11-02T00:00:00Z", latency_ms: null }),
  ledgerRow({
    id: 3,
    provider: "groq",
    cost_pico_usd: "70",
    at: "2026-11-03T00:00:00Z",
    latency_ms: 900,
    status: "error",
  }),
];
const ids = (selected: typeof rows) => selected.map((row) => row.id);

test("the newest call comes first unless another order is asked for", () => {
  expect(ids(select(rows, none, "at", false))).toEqual([3, 2, 1]);
  expect(ids(select(rows, none, "at", true))).toEqual([1, 2, 3]);
});

test("what is unknown comes last in both directions", () => {
  expect(ids(select(rows, none, "cost", false))).toEqual([3, 1, 2]);
  expect(ids(select(rows, none, "cost", true))).toEqual([1, 3, 2]);
  expect(ids(select(rows, none, "latency", true))).toEqual([1, 3, 2]);
});

test("filters narrow together and text looks in names", () => {
  expect(ids(select(rows, { ...none, provider: "groq", status: "ok" }, "at", false))).toEqual([1]);
  expect(ids(select(rows, { ...none, text: "OLLA" }, "at", false))).toEqual([2]);
  expect(select(rows, { ...none, text: "nothing" }, "at", false)).toEqual([]);
});

test("totals say how much of them is not known", () => {
  const sums = totals(rows);
  expect([sums.calls, sums.cost, sums.costUnknown]).toEqual([3, "75", 1]);
});

test("choices are the values that occur", () => {
  expect(choices(rows, "provider")).toEqual(["groq", "ollama"]);
});

test("the CSV holds what is shown, unrounded, with unknown left empty", () => {
  const lines = ledgerCsv(select(rows, { ...none, provider: "ollama" }, "at", false))
    .trim()
    .split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]?.split(",").slice(-2)).toEqual(["", ""]);
});
