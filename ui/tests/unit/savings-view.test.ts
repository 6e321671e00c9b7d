import { cleanup, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { failed, type FakeBackend } from "$lib/ipc/fake/fake-backend";
import { savingsReport, savingsRow } from "$lib/ipc/fake/savings";
import { savedTotals } from "$lib/ipc/fake/worker";
import { backendOver, busyWorld, emptyWorld, type World } from "$lib/ipc/fake/world";
import ObservatoryView from "$views/ObservatoryView.svelte";

let backend: FakeBackend;
let user: ReturnType<typeof userEvent.setup>;

async function show(hash = "#/savings", world: World = busyWorld()): Promise<void> {
  history.replaceState(null, "", hash);
  backend = backendOver(world);
  render(ObservatoryView, { backend });
  await waitFor(() => expect(screen.queryByTestId("face-loading")).toBeNull());
}

const text = (testid: string) => screen.getByTestId(testid).textContent?.replace(/\s+/g, " ").trim() ?? "";
const rows = () => screen.getAllByTestId("savings-row").map((each) => each.textContent?.replace(/\s+/g, " ").trim());

beforeEach(() => {
  user = userEvent.setup();
});

test("sums say what they rest on: counts are called counted, everything else an estimate", async () => {
  await show();
  expect(text("savings-all-input")).toContain("405K");
  expect(text("savings-all-input")).toContain("Counted exactly in some turns, estimated in the others");
  expect(text("savings-all-output")).toMatch(/Estimate.*0 for commands, 1 for tasks, 0 for quotes/);
  expect(text("savings-all-carried")).toContain("Estimate: input not read times 8 later calls");
  expect(text("savings-all-money")).toMatch(/\$2\.16.*Estimate for example-large-5/);
  expect(text("savings-all-turns")).toMatch(/39.*21 counted exactly/);
  expect(text("savings-all")).toContain("425,300 tokens read here, 20,640 handed back");
  expect(screen.getByText(/an estimate at list prices, and no bill/, { selector: ".soft" })).toBeTruthy();
});

test.each([
  [{ turns: 4, measured_turns: 4 }, "Counted exactly."],
  [{ turns: 4, measured_turns: 0 }, "Estimated from characters."],
])("with %o the input is said to be %s", async (changes, expected) => {
  await show("#/savings", { ...busyWorld(), savings: savingsReport({ all_time: savedTotals(changes) }) });
  expect(text("savings-all-input")).toContain(expected);
});

test("what was handed back beyond what was read is named, because the sums leave it out", async () => {
  await show();
  expect(text("savings-all-net")).toMatch(/405K.*with no floor/);
  expect(text("savings-all")).toContain("600 tokens were handed back beyond what their own turns read.");
  expect(screen.queryByTestId("savings-loss")).toBeNull();
  const even = savedTotals({ gathered_tokens: 900, returned_tokens: 400, avoided_input: 500 });
  cleanup();
  await show("#/savings", { ...busyWorld(), savings: savingsReport({ all_time: even }) });
  expect(text("savings-all")).not.toContain("beyond");
});

test("a loss has its sign, a word and a sentence, and no figure of it is raised to nothing", async () => {
  const all_time = savedTotals({ gathered_tokens: 900, returned_tokens: 2100, avoided_input: 0, usd: "-0.4200" });
  await show("#/savings", { ...busyWorld(), savings: savingsReport({ all_time }) });
  expect(text("savings-all-net")).toMatch(/-1,200 More to read/);
  expect(text("savings-all-money")).toMatch(/-\$0\.42 Costs more/);
  expect(text("savings-all-loss")).toContain("1,200 tokens more than was read");
  expect(text("savings-all")).toContain("1,200 tokens were handed back beyond");
});

test("a conversation that cost more stands last, with its loss in its row", async () => {
  const loss = savedTotals({ gathered_tokens: 100, returned_tokens: 700, avoided_input: 0 });
  const none = savedTotals({ gathered_tokens: 0, returned_tokens: 0, avoided_input: 0 });
  const world = busyWorld();
  await show("#/savings?by=session", world);
  const answer = backend.handlers["savings/report"];
  backend.handlers["savings/report"] = async (params) => ({
    ...((await answer?.(params)) ?? savingsReport()),
    rows: [
      savingsRow({ name: "lost", totals: loss }),
      savingsRow({ name: "gained" }),
      savingsRow({ name: "idle", totals: none }),
    ],
  });
  backend.emit({ type: "worker_changed", session: "lost" });
  await waitFor(() => expect(rows().map((row) => row?.split(" ")[0])).toEqual(["gained", "idle", "lost"]));
  expect(rows()[2]).toContain("-600 More to read");
  expect(rows()[0]).not.toContain("More to read");
});

test("without a price money is a dash with its reason, never nothing", async () => {
  const savings = savingsReport({ caller_model: null, all_time: savedTotals({ usd: null }) });
  await show("#/savings", { ...busyWorld(), savings });
  expect(text("savings-all-money")).toContain("—");
  expect(text("savings-all-money")).toContain("no price of a model is known");
  expect(text("savings-all-money")).not.toContain("$");
});

test("models are listed with their own tokens, estimates, factor and the day of their price", async () => {
  await show();
  expect(backend.callsOf("savings/report")).toEqual([{ by: "model", session: null, since: null }]);
  const [large = "", small = ""] = rows();
  for (const part of ["example-large-5", "In the headline", "527K", "$1.70", "$2.09", "1.30", "2026-10-02"])
    expect(large).toContain(part);
  expect(large).not.toContain("Old price");
  expect(small).toContain("Old price");
  expect(small).not.toContain("(stale)");
});

test("rows by client and by conversation stand in the address, largest first", async () => {
  await show("#/savings?by=client");
  expect(rows().map((row) => row?.split(" ")[0])).toEqual(["codex-mcp-client", "claude-code"]);
  expect(rows()[0]).toContain("34 / 21");
  await user.click(screen.getByTestId("savings-tab-session"));
  await waitFor(() => expect(rows()[0]).toContain("0199c2f4-thread"));
  expect(location.hash).toBe("#/savings?by=session");
  const [row] = screen.getAllByTestId("savings-row");
  const link = within(row as HTMLElement).getByRole("link");
  expect(link.getAttribute("href")).toBe("#/worker?session=0199c2f4-thread");
});

test("an unknown kind of rows in the address is the usual one", async () => {
  await show("#/savings?by=planet");
  expect(backend.callsOf("savings/report")).toEqual([{ by: "model", session: null, since: null }]);
});

test("one conversation is shown beside the whole and can be closed", async () => {
  await show("#/savings?session=7a5e-letter");
  expect(backend.callsOf("savings/report")).toEqual([{ by: "model", session: "7a5e-letter", since: null }]);
  expect(text("savings-session-input")).toContain("11.2K");
  expect(text("savings-all-input")).toContain("405K");
  await user.click(screen.getByTestId("savings-tab-client"));
  await waitFor(() => expect(location.hash).toBe("#/savings?session=7a5e-letter&by=client"));
  await user.click(screen.getByTestId("savings-one-close"));
  await waitFor(() => expect(screen.queryByTestId("savings-one")).toBeNull());
  expect(location.hash).toBe("#/savings?by=client");
});

test("a conversation without a counted turn says so instead of noughts", async () => {
  await show("#/savings?session=pid-5102");
  expect(text("savings-one")).toContain("No turn of this conversation is counted");
  expect(screen.queryByTestId("savings-session")).toBeNull();
});

test("the formula, what is assumed and the day of the prices are one press away", async () => {
  await show();
  expect((screen.getByTestId("savings-how") as HTMLDetailsElement).open).toBe(false);
  for (const part of [
    "avoided_input = gathered - returned",
    "Characters a token, where none were counted 3.8",
    "Later calls that would read the same input again 8",
    "2026-10-02 (59 days ago)",
    "`lwa savings prices set`",
  ])
    expect(text("savings-how")).toContain(part);
});

test("the derivation holds the numbers of this report, with what the sum leaves out and the price behind it", async () => {
  await show("#/savings?by=client");
  for (const part of [
    "425,300 read - 20,640 handed back + 600 handed back beyond what a turn read = 405,260",
    "405,260 input not read × 8 later calls, rounded turn by turn = 3,242,080",
    "$2.16 for example-large-5; price from https://provider.example/pricing, 2026-10-02",
    "2026-10-02 (59 days ago) Old price",
  ])
    expect(text("savings-how")).toContain(part);
});

test("another model's prices are taken for the headline, said to reach the past, and given back", async () => {
  await show();
  expect(screen.queryByTestId("savings-reset")).toBeNull();
  await user.selectOptions(screen.getByTestId("savings-model"), "example-small-5");
  expect(backend.callsOf("config/set")).toEqual([]);
  await user.click(screen.getByTestId("savings-choose"));
  await waitFor(() => expect(text("savings-all-money")).toMatch(/\$0\.21.*Estimate for example-small-5/));
  expect(backend.callsOf("config/set")).toEqual([{ key: "worker.caller_model", value: "example-small-5" }]);
  expect(text("savings-chosen")).toContain("past ones too");
  await waitFor(() => expect(document.getElementById("live-polite")?.textContent).toContain("past ones too"));
  expect(rows()[1]).toContain("In the headline");
  await user.click(await screen.findByTestId("savings-reset"));
  await waitFor(() => expect(text("savings-all-money")).toMatch(/\$2\.09.*example-large-5/));
  expect(backend.callsOf("config/set").at(-1)).toEqual({ key: "worker.caller_model", value: null });
  await waitFor(() => expect(screen.queryByTestId("savings-reset")).toBeNull());
});

test("a choice that the host does not put into force is said to wait", async () => {
  await show();
  backend.handlers["config/set"] = () => backend.call("config/show", {});
  await user.selectOptions(screen.getByTestId("savings-model"), "example-small-5");
  await user.click(screen.getByTestId("savings-choose"));
  await waitFor(() => expect(text("savings-chosen")).toContain("waits for your consent"));
  expect(text("savings-all-money")).toContain("example-large-5");
});

test("a choice that is refused says why and claims nothing", async () => {
  await show();
  backend.handlers["config/set"] = () => {
    throw failed("config_invalid", "`worker.caller_model` cannot be set", "look at the file");
  };
  await user.click(screen.getByTestId("savings-choose"));
  expect((await screen.findByTestId("failure")).textContent).toContain("Look at the file.");
  expect(screen.queryByTestId("savings-chosen")).toBeNull();
});

test("a model of the configuration that has no price is named, with what is used in its place", async () => {
  await show();
  await backend.call("config/set", { key: "worker.caller_model", value: "nobody-1" });
  await waitFor(() => expect(text("savings-unknown-model")).toContain("names nobody-1"));
  expect(text("savings-all-money")).toContain("example-large-5");
});

test("where the configuration cannot be read, nothing of it is offered for change", async () => {
  await show("#/savings?by=client");
  expect(screen.queryByTestId("savings-headline")).toBeNull();
  cleanup();
  history.replaceState(null, "", "#/savings");
  backend = backendOver(busyWorld());
  backend.handlers["config/show"] = () => {
    throw failed("internal", "the file cannot be read");
  };
  render(ObservatoryView, { backend });
  await screen.findByTestId("savings-all");
  expect(screen.queryByTestId("savings-headline")).toBeNull();
});

test("an assumption that has no words yet keeps its name", async () => {
  await show("#/savings", { ...busyWorld(), savings: savingsReport({ assumptions: { new_thing: "7" } }) });
  expect(text("savings-how")).toContain("new_thing 7");
});

test("old prices are said to be old and block nothing; fresh ones are not mentioned", async () => {
  await show();
  expect(text("savings-stale")).toContain("last checked on 2026-10-02, more than 30 days ago");
  expect(screen.getByTestId("savings-all")).toBeTruthy();
});

test.each([
  [{ prices_stale: false }, null],
  [{ prices_checked: null, prices_age_days: null }, "not known when prices were last checked"],
])("a report with %o is marked as it is", async (changes, expected) => {
  await show("#/savings", { ...busyWorld(), savings: savingsReport(changes) });
  if (expected === null) expect(screen.queryByTestId("savings-stale")).toBeNull();
  else expect(text("savings-stale")).toContain(expected);
});

test("a file of prices that is not in force is named", async () => {
  const method = "a = b.\nNote: `prices.json` is not in force: row 2 has no `model_id`";
  await show("#/savings", { ...busyWorld(), savings: savingsReport({ method }) });
  expect(text("savings-note")).toContain("row 2 has no");
  expect(text("savings-how")).not.toContain("row 2");
});

test("older turns are counted on demand, and the second time adds none", async () => {
  await show();
  await user.click(screen.getByTestId("savings-backfill"));
  await waitFor(() => expect(text("savings-backfilled")).toBe("12 older turns were added. 39 were known already."));
  await waitFor(() => expect(text("savings-all-turns")).toContain("51"));
  await waitFor(() => expect(document.getElementById("live-polite")?.textContent).toBe("12 older turns were added."));
  await user.click(screen.getByTestId("savings-backfill"));
  await waitFor(() => expect(text("savings-backfilled")).toBe("0 older turns were added. 51 were known already."));
});

test("a count of older turns that fails says why and claims nothing", async () => {
  await show();
  backend.handlers["savings/backfill"] = () => {
    throw failed("internal", "the database is locked", "close other copies");
  };
  await user.click(screen.getByTestId("savings-backfill"));
  expect((await screen.findByTestId("failure")).textContent).toContain("Close other copies.");
  expect(screen.queryByTestId("savings-backfilled")).toBeNull();
});

test("before anything is saved the view says how savings arise, and older turns can still be counted", async () => {
  await show("#/savings", emptyWorld());
  expect(text("face-empty")).toContain("hands back less than it read");
  expect(screen.getByTestId("savings-backfill")).toBeTruthy();
  expect(screen.queryByTestId("savings-all")).toBeNull();
});

test("a turn of the worker is in the sums at once", async () => {
  const world = busyWorld();
  await show("#/savings", world);
  backend.calls.length = 0;
  world.savings = savingsReport({ all_time: savedTotals({ turns: 40 }) });
  backend.emit({ type: "worker_changed", session: "0199c2f4-thread" });
  await waitFor(() => expect(text("savings-all-turns")).toContain("40"));
  expect(backend.calls.map((call) => call.method)).toEqual(["savings/report"]);
});

test("what is listed can be copied as it is shown", async () => {
  await show("#/savings?by=client");
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await user.click(screen.getByTestId("savings-copy"));
  const [header = "", first = ""] = (write.mock.calls[0]?.[0] ?? "").split("\r\n");
  expect(header.startsWith("client,turns,turns_counted_exactly")).toBe(true);
  expect(first.startsWith("codex-mcp-client,34,21")).toBe(true);
});

/** Where the last report was asked to start, in hours before now. */
function askedHours(): number | null {
  const since = backend.callsOf("savings/report").at(-1)?.since ?? null;
  return since === null ? null : (Date.now() - Date.parse(since)) / 3_600_000;
}

test("a range narrows sums, rows and one conversation together and stands in the address", async () => {
  await show("#/savings?by=client&session=7a5e-letter");
  expect(screen.getByTestId("range-all").getAttribute("aria-pressed")).toBe("true");
  expect(screen.queryByTestId("savings-all-time")).toBeNull();
  await user.click(screen.getByTestId("range-7"));
  await waitFor(() => expect(text("savings-all-turns")).toContain("37"));
  expect(location.hash).toBe("#/savings?by=client&session=7a5e-letter&range=7");
  expect(screen.getByTestId("range-7").getAttribute("aria-pressed")).toBe("true");
  expect(screen.getByTestId("range-all").getAttribute("aria-pressed")).toBe("false");
  expect(text("savings-about")).toContain("Last 7 days: 2 conversations; the first turn was yesterday.");
  expect(text("savings-all-input")).toContain("400K");
  expect(text("savings-one")).toContain("7a5e-letter · Last 7 days");
  expect(text("savings-session-turns")).toContain("3");
  expect(text("savings-session-input")).toContain("6,100");
  expect(rows()[1]).toMatch(/claude-code 3 \/ 0/);
  expect(text("savings-how")).toContain("With the numbers of the last 7 days");
  expect(text("savings-how")).toContain("419,300 read - 19,740 handed back");
  expect(text("savings-all-time")).toMatch(/All time: 39 turns .*405K.*\$2\.16 \(estimate\)/);
});

test.each([
  ["24h", 24, 24, "34"],
  ["7", 6 * 24, 7 * 24, "37"],
  ["30", 29 * 24, 30 * 24, "38"],
])("the range %s of an address asks for its time", async (range, from, to, turns) => {
  await show(`#/savings?range=${range}`);
  expect(text("savings-all-turns")).toContain(turns);
  expect(askedHours()).toBeGreaterThanOrEqual(from);
  expect(askedHours()).toBeLessThan(to + 0.1);
  await user.click(screen.getByTestId("savings-tab-session"));
  await waitFor(() => expect(location.hash).toBe(`#/savings?range=${range}&by=session`));
});

test("all time is the usual range, and a word that is none leads to it", async () => {
  await show("#/savings?range=yesterday");
  expect(askedHours()).toBeNull();
  cleanup();
  await show("#/savings?range=24h");
  await user.click(screen.getByTestId("range-all"));
  await waitFor(() => expect(text("savings-all-turns")).toContain("39"));
  expect(location.hash).toBe("#/savings");
  expect(askedHours()).toBeNull();
});

test("a range of savings leaves the range of the overview and the ledger alone", async () => {
  await show("#/savings");
  backend.calls.length = 0;
  await user.click(screen.getByTestId("range-30"));
  await waitFor(() => expect(text("savings-all-turns")).toContain("38"));
  expect(backend.calls.map((call) => call.method)).toEqual(["savings/report"]);
  await user.click(screen.getByTestId("nav-overview"));
  await waitFor(() => expect(screen.getByTestId("range-7").getAttribute("aria-pressed")).toBe("true"));
  expect(screen.queryByTestId("range-24h")).toBeNull();
});

test("figures keep the name of their range until those of another one are there", async () => {
  await show("#/savings?range=7");
  backend.handlers["savings/report"] = () => {
    throw failed("internal", "the database is locked");
  };
  await user.click(screen.getByTestId("range-30"));
  await screen.findByTestId("face-stale");
  expect(text("savings-about")).toContain("Last 7 days:");
  expect(text("savings-all-turns")).toContain("37");
});

test("an event reads the range that is shown, not everything", async () => {
  await show("#/savings?range=24h");
  backend.calls.length = 0;
  backend.emit({ type: "worker_changed", session: "0199c2f4-thread" });
  await waitFor(() => expect(askedHours()).toBeCloseTo(24, 1));
});

test("older turns that are counted are in the sums of all time beside the range", async () => {
  await show("#/savings?range=24h");
  await user.click(screen.getByTestId("savings-backfill"));
  await waitFor(() => expect(text("savings-all-time")).toContain("51 turns"));
  expect(text("savings-all-turns")).toContain("34");
});

test("a range without a turn says so, keeps the sums of all time and leads there", async () => {
  const world = busyWorld();
  await show("#/savings?range=7&by=client", { ...world, counted: world.counted.slice(0, 1) });
  expect(text("face-empty")).toContain("Nothing in the last 7 days");
  expect(text("face-empty")).not.toContain("Nothing is saved yet");
  expect(text("savings-all-time")).toContain("39 turns");
  expect(screen.queryByTestId("savings-all")).toBeNull();
  await user.click(screen.getByTestId("savings-to-all"));
  await waitFor(() => expect(text("savings-all-turns")).toContain("39"));
  expect(location.hash).toBe("#/savings?by=client");
});

test("where nothing was ever saved, a range does not blame the time", async () => {
  await show("#/savings?range=24h", emptyWorld());
  expect(text("face-empty")).toContain("Nothing is saved yet");
  expect(screen.queryByTestId("savings-to-all")).toBeNull();
});

test("a conversation without a turn in the range says so, and not that it never had one", async () => {
  await show("#/savings?range=24h&session=7a5e-letter");
  expect(text("savings-one")).toContain("No turn of this conversation is counted in the last 24 hours.");
});

test("the line of all time shows a loss as one, and an unknown amount as unknown", async () => {
  const all_time = savedTotals({ gathered_tokens: 900, returned_tokens: 2100, avoided_input: 0, usd: null });
  await show("#/savings?range=7", { ...busyWorld(), savings: savingsReport({ all_time }) });
  expect(text("savings-all-time")).toContain("-1,200 More to read");
  expect(text("savings-all-time")).toContain("—");
  expect(text("savings-all-time")).not.toContain("$");
});

test("what is copied is of the range, and says since when", async () => {
  await show("#/savings?by=client&range=24h");
  const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await user.click(screen.getByTestId("savings-copy"));
  const lines = (write.mock.calls[0]?.[0] ?? "").trim().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]?.endsWith(`,${backend.callsOf("savings/report").at(-1)?.since ?? "nothing"}`)).toBe(true);
});
