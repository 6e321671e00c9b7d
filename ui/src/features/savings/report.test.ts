import { expect, test } from "vitest";
import { savingsReport, savingsRow } from "$lib/ipc/fake/savings";
import { savedTotals } from "$lib/ipc/fake/worker";
import {
  basis,
  beyond,
  estimate,
  estimateExactly,
  isLoss,
  methodOf,
  net,
  ordered,
  priceOf,
  savingsCsv,
  sumsOf,
} from "./report";

test.each([
  ["2.1583", "$2.16", "$2.1583"],
  ["0.0712", "$0.07", "$0.0712"],
  ["1234567.0000", "$1,234,567.00", "$1,234,567.00"],
  ["0.0042", "$0.0042", "$0.0042"],
  ["-0.4200", "-$0.42", "-$0.42"],
  ["-0.0042", "-$0.0042", "-$0.0042"],
])("an estimate of %s dollars reads %s, and exactly %s", (usd, short, exact) => {
  expect([estimate(usd, true), estimateExactly(usd)]).toEqual([short, exact]);
});

test("tokens that were spared are worth something, however little; none are worth nothing", () => {
  expect(estimate("0.0000", true)).toBe("<$0.0001");
  expect(estimate("0.0000", false)).toBe("$0.00");
});

test("the net has no floor, and what the sum leaves out is the rest", () => {
  const totals = savedTotals({ gathered_tokens: 10_300, returned_tokens: 11_000, avoided_input: 9500 });
  expect([net(totals), beyond(totals)]).toEqual([-700, 10_200]);
});

test("less than nothing is a loss, nothing with a sign is none", () => {
  expect([isLoss("-0.0001"), isLoss("-0.0000"), isLoss("0.0001")]).toEqual([true, false, false]);
});

test("a sum is called counted only when every turn was", () => {
  expect(basis(savedTotals({ turns: 4, measured_turns: 4 }))).toBe("counted");
  expect(basis(savedTotals({ turns: 4, measured_turns: 3 }))).toBe("mixed");
  expect(basis(savedTotals({ turns: 4, measured_turns: 0 }))).toBe("estimated");
});

test("models stay as the list of prices has them, clients come with the largest first", () => {
  const rows = [1, 3, 2].map((count) =>
    savingsRow({ name: `n${count}`, totals: savedTotals({ avoided_input: count }) }),
  );
  expect(ordered(rows, "model").map((row) => row.name)).toEqual(["n1", "n3", "n2"]);
  expect(ordered(rows, "client").map((row) => row.name)).toEqual(["n3", "n2", "n1"]);
});

test("what the host notes beside the formula stands apart from it", () => {
  expect(methodOf(savingsReport({ method: "a = b.\nNote: `prices.json` is not in force: line 2" }))).toEqual({
    formula: "a = b.",
    note: "`prices.json` is not in force: line 2",
  });
  expect(methodOf(savingsReport({ method: "a = b." })).note).toBe("");
});

test("a price's note says that it is old beside its text, and none is none", () => {
  expect(priceOf(savingsRow({ price_note: "list, 2026-04-11 (stale)" }))).toEqual({
    note: "list, 2026-04-11",
    isStale: true,
  });
  expect(priceOf(savingsRow({ price_note: "list, 2026-04-11" }))?.isStale).toBe(false);
  expect(priceOf(savingsRow({ price_note: null }))).toBeNull();
});

test("the spreadsheet calls estimates estimates and leaves unknown money empty", () => {
  const [header = "", row = ""] = savingsCsv([savingsRow({ direct_usd: null })], "model", null).split("\r\n");
  expect(header).toContain("direct_usd_estimate,with_carry_usd_estimate");
  expect(row.startsWith("example-large-5,39,21,526840,8100,3152480,,2.0871,1.30,")).toBe(true);
  // Tokens of a model are scaled, so nothing is taken from them.
  expect(row.endsWith(",,")).toBe(true);
  expect(savingsCsv([savingsRow()], "client", null).split("\r\n")[1]?.endsWith(",394060,")).toBe(true);
});

test("the spreadsheet of a range says in each row where the range starts", () => {
  const [header = "", ...rows] = savingsCsv([savingsRow(), savingsRow()], "client", "2026-03-03T00:00:00.000Z")
    .trim()
    .split("\r\n");
  expect(header.endsWith(",since")).toBe(true);
  expect(rows.map((row) => row.split(",").at(-1))).toEqual(["2026-03-03T00:00:00.000Z", "2026-03-03T00:00:00.000Z"]);
});

test("a report is about its range where it has one, also where that is nothing", () => {
  const [all_time, none] = [savedTotals({ turns: 9 }), savedTotals({ turns: 0 })];
  expect(sumsOf(savingsReport({ all_time, range: null })).turns).toBe(9);
  expect(sumsOf(savingsReport({ all_time, range: none })).turns).toBe(0);
});
