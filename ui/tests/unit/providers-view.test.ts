import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { ListTried } from "$lib/ipc/generated/protocol";
import { failed, type FakeBackend } from "$lib/ipc/fake/fake-backend";
import { quota } from "$lib/ipc/fake/router";
import { model, provider } from "$lib/ipc/fake/samples";
import { backendOver, busyWorld, emptyWorld, type World } from "$lib/ipc/fake/world";
import ObservatoryView from "$views/ObservatoryView.svelte";

let backend: FakeBackend;
let user: ReturnType<typeof userEvent.setup>;

async function show(hash = "#/providers", world: World = busyWorld()): Promise<void> {
  history.replaceState(null, "", hash);
  backend = backendOver(world);
  render(ObservatoryView, { backend });
  await waitFor(() => expect(screen.queryByTestId("face-loading")).toBeNull());
}

const text = (testid: string) => screen.getByTestId(testid).textContent?.replace(/\s+/g, " ").trim() ?? "";

function tried(changes: Partial<ListTried>): ListTried {
  return {
    provider: "groq",
    status: "ok",
    models: 12,
    is_cut: false,
    listed_at: new Date().toISOString(),
    detail: null,
    ...changes,
  };
}

beforeEach(() => {
  user = userEvent.setup();
});

test("all lists are refreshed at once, fresh ones left alone, and each provider says how it went", async () => {
  await show();
  await user.click(screen.getByTestId("lists-refresh"));
  await waitFor(() => expect(text("list-openrouter")).toContain("The list was read. (3 models)"));
  expect(backend.callsOf("catalogue/refresh")).toEqual([{ provider: null, force: false }]);
  expect(text("list-mistral")).toContain("The list needs a key.");
  expect(text("list-builtin")).toContain("offers no list");
});

test("a list that cannot be read leaves the last good one, with its age and the reason", async () => {
  await show();
  expect(text("list-groq")).toContain("could not be read. The key was rejected.");
  expect(text("list-groq")).toContain("The last good list stays in use; it was read 2 days ago.");
  await user.click(screen.getByTestId("list-refresh-groq"));
  await waitFor(() => expect(backend.callsOf("catalogue/refresh")).toEqual([{ provider: "groq", force: true }]));
  expect(text("list-groq")).toContain("The last good list stays in use; it was read 2 days ago.");
});

test.each([
  [{ status: "fresh" as const }, "fresh and was not asked for again. (12 models)"],
  [{ status: "ok" as const, is_cut: true }, "A limit cut the list."],
  [{ status: "disabled" as const, models: null }, "switched off"],
  [{ status: "failed" as const, listed_at: null, detail: "no answer" }, "No list of this provider was ever read."],
])("a list that stands as %o says so", async (changes, expected) => {
  const world = busyWorld();
  world.providers = world.providers.map((each) => ({ ...each, listed_at: null, list_problem: null }));
  await show("#/providers", world);
  expect(text("list-groq")).toBe("");
  backend.handlers["catalogue/refresh"] = () => ({ models: 1, refreshed: 0, providers: [tried(changes)] });
  await user.click(screen.getByTestId("list-refresh-groq"));
  await waitFor(() => expect(text("list-groq")).toContain(expected));
});

test("a refusal to refresh is said and the button comes back", async () => {
  await show();
  backend.handlers["catalogue/refresh"] = () => {
    throw failed("paused", "work is paused", "resume it first");
  };
  await user.click(screen.getByTestId("lists-refresh"));
  expect((await screen.findByTestId("failure")).textContent).toContain("Resume it first.");
  expect(screen.getByTestId("lists-refresh").getAttribute("aria-disabled")).toBeNull();
});

test("two presses read a list once", async () => {
  await show();
  let finish = () => {};
  backend.handlers["catalogue/refresh"] = () =>
    new Promise((resolve) => (finish = () => resolve({ models: 0, refreshed: 0, providers: [] })));
  await user.click(screen.getByTestId("lists-refresh"));
  await user.click(screen.getByTestId("list-refresh-groq"));
  expect(text("list-refresh-groq")).toBe("Reading…");
  expect(backend.callsOf("catalogue/refresh")).toHaveLength(1);
  finish();
  await waitFor(() => expect(text("list-refresh-groq")).toBe("Refresh list"));
});

test("quotas show what is left, when they start anew, how old and how sure the reading is", async () => {
  await show();
  expect(text("quota-groq-requests_day")).toBe(
    "Requests a day 240 of 1,000 requests left starts anew in 4 hours · read 6 minutes ago · as stated",
  );
  expect(text("quota-openrouter-balance_usd")).toContain("$4.12 left");
  expect(text("quota-openrouter-credits")).toContain("Old");
  expect(text("quota-mistral-requests_month")).toContain("what is left was not said");
});

test("a provider that says nothing of quotas is not reported, and never zero", async () => {
  await show("#/providers", { ...busyWorld(), quotas: [quota()] });
  expect(text("quotas-openrouter")).toContain("Not reported");
  expect(screen.queryByTestId("quotas-ollama")).toBeNull();
});

test("asking for balances says how it went with each and reads the quotas again", async () => {
  await show();
  backend.calls.length = 0;
  await user.click(screen.getByTestId("quotas-refresh"));
  await waitFor(() => expect(text("quota-tried-openrouter")).toContain("The balance was read."));
  expect(text("quota-tried-groq")).toContain("could not be read; the readings above stay. The key was rejected.");
  expect(text("quota-tried-mistral")).toContain("needs a key");
  await waitFor(() => expect(backend.callsOf("quota/list")).toHaveLength(1));
});

test("quotas that cannot be read are a failure beside the providers", async () => {
  await show();
  backend.handlers["quota/list"] = () => {
    throw failed("internal", "the database is locked");
  };
  backend.emit({ type: "ledger_changed" });
  expect((await screen.findByTestId("failure")).textContent).toContain("The database is locked.");
  expect(screen.getByTestId("provider-groq")).toBeTruthy();
});

test("caps are drawn only where there is one", async () => {
  await show();
  const widths = (name: string) =>
    within(screen.getByTestId(`provider-${name}`).querySelector("dl") as HTMLElement)
      .queryAllByTestId("meter-fill")
      .map((each) => each.getAttribute("width"));
  expect(widths("openrouter")).toEqual(["6", "58.8"]);
  expect(widths("ollama")).toEqual([]);
});

test("data use comes with its source, and an experimental provider says so", async () => {
  await show();
  expect(text("provider-openrouter")).toContain("Provider keeps it for a time");
  expect(text("provider-openrouter")).toContain("From https://provider.example/privacy, read 2026-11-20");
  expect(text("provider-groq")).toContain("Failing");
  expect(text("provider-groq")).toContain("Experimental");
  expect(text("provider-openrouter")).not.toContain("Experimental");
});

test("an untried provider is called that", async () => {
  await show("#/providers", { ...emptyWorld(), providers: [provider({ state: "unverified" })] });
  expect(text("provider-openrouter")).toContain("Not tried yet");
});

test("models show efforts, price with source and date, old prices and how many have none", async () => {
  await show();
  expect(screen.queryAllByTestId("model-row")).toEqual([]);
  await user.click(within(screen.getByTestId("models-openrouter")).getByText("3 models"));
  const rows = (await screen.findAllByTestId("model-row")).map((row) => row.textContent?.replace(/\s+/g, " ") ?? "");
  expect(rows).toHaveLength(3);
  expect(rows[0]).toContain("low, medium, high");
  expect(rows[0]).toContain("listing, read 2026-11-28");
  expect(rows[0]).toContain("at most 32,768 out");
  expect(rows[0]).not.toContain("Old price");
  expect(rows[1]).toContain("No price known");
  expect(rows[1]).not.toContain("$");
  expect(rows[2]).toContain("Old price");
  expect(rows[2]).toContain("above 200,000 in: $2.50 / $15.00");
  expect(text("models-unpriced-openrouter")).toBe("1 of 3 has no known price: its cost is unknown, not zero");
});

test("many models are drawn in parts and can be searched", async () => {
  const models = Array.from({ length: 120 }, (_, index) => model({ model: `m-${index}`, display_name: null }));
  await show("#/providers", { ...busyWorld(), models });
  await user.click(within(screen.getByTestId("models-openrouter")).getByText("120 models"));
  expect(await screen.findAllByTestId("model-row")).toHaveLength(50);
  await user.click(screen.getByRole("button", { name: "Show 70 more" }));
  expect(screen.getAllByTestId("model-row")).toHaveLength(100);
  await user.type(screen.getByTestId("models-search-openrouter"), "m-119");
  await waitFor(() => expect(screen.getAllByTestId("model-row")).toHaveLength(1));
});

test("plans and tiers have an address of their own, and what is not declared is not zero", async () => {
  await show();
  await user.click(screen.getByTestId("tab-tiers"));
  const rows = await screen.findAllByTestId("tier-row");
  expect(location.hash).toBe("#/providers?tab=tiers");
  expect(rows).toHaveLength(3);
  expect(rows[0]?.textContent).toContain("active");
  expect(within(rows[2] as HTMLElement).getAllByTitle("Not declared")).toHaveLength(3);
  expect(rows[1]?.textContent).toContain("Switched off");
  expect(screen.queryByTestId("provider-groq")).toBeNull();
});

test("without models the table of tiers says when they come", async () => {
  await show("#/providers?tab=tiers", emptyWorld());
  expect((await screen.findByTestId("face-empty")).textContent).toContain("No models");
});

test("tiers that cannot be read are an error with a way to try again", async () => {
  await show();
  backend.handlers["tier/list"] = () => {
    throw failed("internal", "the database is locked");
  };
  await user.click(screen.getByTestId("tab-tiers"));
  expect((await screen.findByTestId("face-error")).textContent).toContain("The database is locked.");
});

test("the overview shows quotas of each provider and how its calls went", async () => {
  await show("#/overview");
  expect(text("overview-quotas")).toContain("groq Requests a day");
  expect(text("calls-row-openrouter")).toMatch(/\d+ done, \d+ failed, 1 running/);
  expect(within(screen.getByTestId("calls-row-openrouter")).getByRole("link").getAttribute("href")).toBe(
    "#/ledger?range=7&provider=openrouter",
  );
  expect(screen.getAllByTestId("latency-span").length).toBeGreaterThan(0);
});

test("the overview says that nobody told of a quota, and nothing of providers without calls", async () => {
  await show("#/overview", emptyWorld());
  expect(text("overview-quotas")).toContain("No provider has told of a quota yet");
  expect(screen.queryByTestId("overview-calls")).toBeNull();
});
