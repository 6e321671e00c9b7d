import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { FakeBackend } from "$lib/ipc/fake/fake-backend";
import { failed } from "$lib/ipc/fake/fake-backend";
import { approval, policyApproval, policyDetail } from "$lib/ipc/fake/samples";
import { backendOver, busyWorld, emptyWorld, type World } from "$lib/ipc/fake/world";
import ObservatoryView from "$views/ObservatoryView.svelte";

let backend: FakeBackend;
let user: ReturnType<typeof userEvent.setup>;

async function show(hash: string, world: World = busyWorld()): Promise<void> {
  history.replaceState(null, "", hash);
  backend = backendOver(world);
  render(ObservatoryView, { backend });
  await waitFor(() => expect(screen.queryByTestId("face-loading")).toBeNull());
}

beforeEach(() => {
  user = userEvent.setup();
});

test("the overview shows figures, charts and recent routes", async () => {
  await show("#/overview");
  for (const name of [
    "tile-spend",
    "tile-tokens",
    "tile-calls",
    "chart-tokens",
    "chart-spend",
    "overview-calls",
    "overview-quotas",
    "recent-routes",
  ]) {
    expect(screen.getByTestId(name)).toBeTruthy();
  }
  expect(screen.getAllByTestId("chart-mark").length).toBeGreaterThan(0);
});

test("a chart shows the same numbers as a table", async () => {
  await show("#/overview");
  await user.click(screen.getByTestId("chart-tokens-table"));
  const table = within(screen.getByTestId("chart-tokens")).getByRole("table");
  expect(within(table).getAllByRole("row").length).toBe(8);
});

test("an empty overview says what to try", async () => {
  await show("#/overview", emptyWorld());
  expect(screen.getByTestId("face-empty").textContent).toContain("No calls yet");
});

test.each(["overview", "waiting", "plans", "ledger", "providers", "library", "worker", "savings", "audit", "settings"])(
  "the view %s shows a failure as a failure and never as emptiness",
  async (view) => {
    history.replaceState(null, "", `#/${view}`);
    backend = backendOver(busyWorld());
    backend.refuseAll(() => failed("internal", "the database is locked", "close other copies"));
    render(ObservatoryView, { backend });
    await waitFor(() => expect(screen.getAllByTestId("face-error").length).toBeGreaterThan(0));
    expect(screen.queryByTestId("face-empty")).toBeNull();
    expect(screen.getAllByTestId("face-error")[0]?.textContent).toContain("Close other copies.");
  },
);

test("a view that may not be read says so", async () => {
  history.replaceState(null, "", "#/ledger");
  backend = backendOver(busyWorld());
  backend.refuseAll(() => failed("forbidden", "no"));
  render(ObservatoryView, { backend });
  await waitFor(() => expect(screen.getByTestId("face-denied")).toBeTruthy());
});

test("old data stays on the screen with its age when reading again fails", async () => {
  await show("#/overview");
  backend.refuseAll(() => failed("host_unreachable", "the host is gone"));
  backend.emit({ type: "lagged" });
  await waitFor(() => expect(screen.getAllByTestId("face-stale").length).toBeGreaterThan(0));
  expect(screen.getByTestId("tile-calls")).toBeTruthy();
});

test("a first look with nothing set up goes to the providers and welcomes", async () => {
  await show("#", emptyWorld());
  await waitFor(() => expect(screen.getByTestId("welcome").textContent).toContain("built-in provider"));
  expect(location.hash).toBe("#/providers");
});

test("a chosen view is kept even when nothing is set up", async () => {
  await show("#/overview", emptyWorld());
  await Promise.resolve();
  expect(location.hash).toBe("#/overview");
});

test("from the list a question can be denied or opened, never allowed", async () => {
  await show("#/waiting");
  const [item] = busyWorld().approvals as [ReturnType<typeof approval>];
  const row = within(screen.getByTestId(`waiting-row-${item.id}`));
  expect(row.getAllByRole("button").map((each) => each.textContent?.trim())).toEqual(["Deny", "Open"]);
  await user.click(screen.getByTestId(`waiting-open-${item.id}`));
  expect(backend.opened).toBe(1);
  await user.click(screen.getByTestId(`waiting-deny-${item.id}`));
  expect(backend.callsOf("approval/decide")).toEqual([
    { id: item.id, answer: "deny", reason: null, code: null, variant: null },
  ]);
  await waitFor(() => expect(screen.queryByTestId(`waiting-row-${item.id}`)).toBeNull());
});

test("everything of one client can be denied at once, other clients are left alone", async () => {
  const items = ["1", "2", "3"].map((id) => approval({ id }));
  await show("#/waiting", { ...emptyWorld(), approvals: [...items, approval({ id: "9", client: "other" })] });
  await user.click(screen.getByTestId("waiting-deny-all-codex-mcp-client"));
  await waitFor(() => expect(backend.callsOf("approval/decide").map((call) => call.id)).toEqual(["1", "2", "3"]));
});

test("UX-1 what was missed is listed apart from what was decided", async () => {
  await show("#/waiting");
  expect(within(screen.getByTestId("waiting-missed")).getAllByRole("listitem")).toHaveLength(2);
  expect(within(screen.getByTestId("waiting-decided")).getAllByRole("listitem")).toHaveLength(2);
});

test("a plan says why not the others", async () => {
  await show("#/plans");
  const card = within(screen.getByTestId(`plan-row-${busyWorld().plans[0]?.plan_id}`));
  expect(card.getByText("Why not 3 others")).toBeTruthy();
  expect(card.getByText(/too small for 22,240/)).toBeTruthy();
});

test("a failed plan shows what happened and what to do", async () => {
  await show("#/plans");
  const card = screen.getByTestId(`plan-row-${"99cc".padEnd(24, "0")}`);
  expect(card.textContent).toContain("Prepare a new plan in a minute.");
});

test("ledger filters narrow rows and totals together and stand in the hash", async () => {
  await show("#/ledger?provider=groq");
  const rows = screen.getAllByTestId("ledger-row");
  expect(rows.every((row) => row.textContent?.includes("groq"))).toBe(true);
  expect(screen.getByTestId("ledger-totals").textContent).toContain(`${rows.length} calls`);
  await user.click(screen.getByTestId("ledger-clear"));
  expect(location.hash).toBe("#/ledger");
  expect(screen.getAllByTestId("ledger-row").length).toBeGreaterThan(rows.length);
});

test("a filter that matches nothing is named and can be cleared", async () => {
  await show("#/ledger?text=nothing-like-this");
  expect(screen.getByText(/nothing-like-this/)).toBeTruthy();
  expect(screen.queryAllByTestId("ledger-row")).toEqual([]);
});

test("a call opens a drawer with everything known about it", async () => {
  await show("#/ledger");
  const [row] = screen.getAllByTestId("ledger-row");
  await user.click(within(row as HTMLElement).getByRole("button"));
  const drawer = await screen.findByTestId("ledger-drawer");
  expect(drawer.textContent).toContain("Reserved");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByTestId("ledger-drawer")).toBeNull());
});

test("a key is sent once, never shown, and gone from the page afterwards", async () => {
  await show("#/providers");
  await user.click(screen.getByTestId("key-edit-mistral"));
  const field = screen.getByTestId("key-input-mistral") as HTMLInputElement;
  expect(field.type).toBe("password");
  await user.click(field);
  await user.paste("FAKE-KEY-0000-abcd");
  await user.click(screen.getByTestId("key-save-mistral"));
  await waitFor(() => expect(screen.queryByTestId("key-input-mistral")).toBeNull());
  expect(backend.callsOf("key/set")).toEqual([{ provider: "mistral", key: "FAKE-KEY-0000-abcd" }]);
  expect(field.value).toBe("");
  expect(document.documentElement.outerHTML).not.toContain("FAKE-KEY");
});

test("a key that cannot be one is refused next to its field", async () => {
  await show("#/providers");
  await user.click(screen.getByTestId("key-edit-mistral"));
  await user.click(screen.getByTestId("key-save-mistral"));
  expect(screen.getByText("Enter a key first")).toBeTruthy();
  expect(backend.callsOf("key/set")).toEqual([]);
});

test("removing a key states its consequence and starts on keeping it", async () => {
  await show("#/providers");
  await user.click(screen.getByTestId("key-remove-openrouter"));
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog.textContent).toContain("3 models of openrouter can no longer be used");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("key-remove-confirm-openrouter-refuse")));
  await user.keyboard("{Enter}");
  expect(backend.callsOf("key/remove")).toEqual([]);
  await user.click(screen.getByTestId("key-remove-openrouter"));
  await user.click(await screen.findByTestId("key-remove-confirm-openrouter-confirm"));
  await waitFor(() => expect(backend.callsOf("key/remove")).toEqual([{ provider: "openrouter" }]));
});

test("a key from a variable cannot be removed here", async () => {
  await show("#/providers");
  expect(screen.queryByTestId("key-remove-groq")).toBeNull();
  expect(screen.getByTestId("provider-groq").textContent).toContain("GROQ_API_KEY");
});

test("a test of a provider says what was found", async () => {
  await show("#/providers");
  await user.click(screen.getByTestId("key-test-groq"));
  expect((await screen.findByTestId("provider-tested-groq")).textContent).toContain("the key was rejected");
});

test("turning paid routes on asks first, turning them off does not", async () => {
  await show("#/providers");
  await user.click(screen.getByTestId("paid-off"));
  await waitFor(() => expect(backend.callsOf("config/set")).toEqual([{ key: "router.allow_paid", value: false }]));
  await user.click(await screen.findByTestId("paid-on"));
  expect(backend.callsOf("config/set")).toHaveLength(1);
  await user.click(await screen.findByTestId("paid-confirm-confirm"));
  await waitFor(() => expect(backend.callsOf("config/set").at(-1)).toEqual({ key: "router.allow_paid", value: true }));
});

test("settings show the value in force and the looser one that waits", async () => {
  await show("#/settings");
  expect(screen.getByTestId("config-pending").textContent).toContain("paid_only → automatic");
  expect(within(screen.getByTestId("config")).getAllByText("paid_only").length).toBeGreaterThan(0);
});

test("several lines of one list that wait are all there", async () => {
  const world = busyWorld();
  const line = (from: string, to: string) => ({ key: "run-allow", from, to, effect: "runs without a question" });
  const changes = [line("", "make*"), line("", "npm run*"), line("deny: git push*", "")];
  world.approvals = [policyApproval({ detail: policyDetail({ changes }) })];
  await show("#/settings", world);
  const waiting = within(screen.getByTestId("config-pending"));
  expect(waiting.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    expect.stringContaining("make*"),
    expect.stringContaining("npm run*"),
    expect.stringContaining("deny: git push*"),
  ]);
});

test("a secret store that cannot be used comes with a way out", async () => {
  await show("#/settings");
  const host = await backend.call("host/status", {});
  const secrets = { backend: "keychain", state: "unavailable", detail: "no session bus" };
  backend.handlers["host/status"] = () => ({ ...host, secrets });
  backend.emit({ type: "host_changed" });
  await waitFor(() => expect(screen.getByTestId("secrets").textContent).toContain("no session bus"));
  expect(screen.getByTestId("secrets").textContent).toContain("secrets.backend");
});

test("the audit log lists events, opens one and checks the chain", async () => {
  await show("#/audit?text=decided");
  const rows = screen.getAllByTestId("audit-row");
  expect(rows.every((row) => row.textContent?.includes("approval.decided"))).toBe(true);
  await user.click(screen.getByTestId("audit-verify"));
  expect((await screen.findByTestId("audit-verified")).textContent).toContain("The chain holds: 40 events");
  await user.click(within(rows[0] as HTMLElement).getByRole("button"));
  expect((await screen.findByTestId("audit-drawer")).textContent).toContain("61312");
});

test("a broken chain is named with its first bad row", async () => {
  await show("#/audit");
  backend.handlers["audit/verify"] = () => ({ ok: false, events: 40, head: null, first_bad: 17 });
  await user.click(screen.getByTestId("audit-verify"));
  expect((await screen.findByTestId("audit-verified")).textContent).toContain("event 17 does not follow");
});

test("pausing is shown in every view until work is resumed", async () => {
  await show("#/settings");
  await user.click(screen.getByTestId("pause-open"));
  await waitFor(() => expect(screen.getByTestId("banner-paused")).toBeTruthy());
  await user.click(screen.getByTestId("pause-resume"));
  await waitFor(() => expect(screen.queryByTestId("banner-paused")).toBeNull());
});

test("a lost host is said in every view and data stays", async () => {
  await show("#/overview");
  backend.setConnection({ state: "lost", detail: "the socket was closed" });
  await waitFor(() => expect(screen.getByTestId("banner-lost")).toBeTruthy());
  expect(screen.getByTestId("tile-calls")).toBeTruthy();
});

test("keys lead to views, to the filter and to the help", async () => {
  await show("#/overview");
  await user.keyboard("{Control>}4{/Control}");
  await waitFor(() => expect(location.hash).toBe("#/ledger"));
  await screen.findByTestId("ledger-search");
  await user.keyboard("/");
  expect(document.activeElement).toBe(screen.getByTestId("ledger-search"));
  await user.keyboard("/");
  expect((screen.getByTestId("ledger-search") as HTMLInputElement).value).toBe("/");
  await user.keyboard("{F1}");
  expect(await screen.findByTestId("help")).toBeTruthy();
});

test("a change of view moves focus to its heading", async () => {
  await show("#/overview");
  await user.click(screen.getByTestId("nav-plans"));
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Plans"));
});

test("copying says whether it worked", async () => {
  await show("#/ledger");
  const write = vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("no"));
  await user.click(screen.getByTestId("ledger-copy"));
  expect(write).toHaveBeenCalled();
  await waitFor(() =>
    expect(document.getElementById("live-assertive")?.textContent).toBe("The clipboard could not be written"),
  );
});
