import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { failed, type FakeBackend } from "$lib/ipc/fake/fake-backend";
import { approval, policyApproval } from "$lib/ipc/fake/samples";
import { savedTotals, session, turn } from "$lib/ipc/fake/worker";
import { backendOver, busyWorld, emptyWorld, type World } from "$lib/ipc/fake/world";
import ObservatoryView from "$views/ObservatoryView.svelte";

const LIVE = "0199c2f4-thread";
const QUIET = "7a5e-letter";
/** The only part of a hidden value that a host hands over: its ends. */
const ENDS = "q…z";
let backend: FakeBackend;
let user: ReturnType<typeof userEvent.setup>;

async function show(hash = "#/worker", world: World = busyWorld()): Promise<void> {
  history.replaceState(null, "", hash);
  backend = backendOver(world);
  render(ObservatoryView, { backend });
  await waitFor(() => expect(screen.queryByTestId("face-loading")).toBeNull());
}

const text = (testid: string) => screen.getByTestId(testid).textContent?.replace(/\s+/g, " ").trim() ?? "";
const inert = (testid: string) => screen.getByTestId(testid).getAttribute("aria-disabled");

beforeEach(() => {
  user = userEvent.setup();
});

test("conversations are listed with client, state, mode, turns, hidden kinds and sizes", async () => {
  await show();
  for (const part of [
    "codex-mcp-client",
    LIVE,
    "On",
    "Private",
    "64",
    "Names 5",
    "Mail 3",
    "Secrets 2",
    "2.1 MB",
    "394K",
    "In use",
  ])
    expect(text(`worker-row-${LIVE}`)).toContain(part);
  expect(text(`worker-row-${QUIET}`)).toContain("2 checks failed");
  expect(text(`worker-row-${QUIET}`)).toContain("yesterday");
  expect(text("worker-row-pid-5102")).toContain("Not decided");
  expect(text("worker-row-pid-5102")).toContain("None");
});

test("many conversations are drawn a hundred at a time", async () => {
  const sessions = Array.from({ length: 130 }, (_, index) => session({ key: `k${index}` }));
  await show("#/worker", { ...busyWorld(), sessions });
  expect(screen.getAllByTestId(/^worker-row-/)).toHaveLength(100);
  await user.click(screen.getByRole("button", { name: "Show 30 more" }));
  expect(screen.getAllByTestId(/^worker-row-/)).toHaveLength(130);
});

test("a name of a client that hides or turns text is written out", async () => {
  await show("#/worker", { ...busyWorld(), sessions: [session({ key: "k", client: "co\u202Edex" })] });
  expect(text("worker-row-k")).toContain("co⟨U+202E⟩dex");
});

test("search and state stand in the address, survive opening a row, and name what found nothing", async () => {
  await show("#/worker?state=off");
  expect(screen.queryByTestId(`worker-row-${LIVE}`)).toBeNull();
  await user.click(within(screen.getByTestId(`worker-row-${QUIET}`)).getByRole("link"));
  await waitFor(() => expect(location.hash).toBe(`#/worker?state=off&session=${QUIET}`));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(location.hash).toBe("#/worker?state=off"));
  await user.type(screen.getByTestId("worker-search"), "nobody");
  await waitFor(() => expect(screen.getByText(/nobody, off/)).toBeTruthy());
  await user.click(screen.getByTestId("worker-clear-filters"));
  expect(location.hash).toBe("#/worker");
  expect(screen.getByTestId(`worker-row-${LIVE}`)).toBeTruthy();
});

test("client and last use narrow the list, and the sums are of what is shown", async () => {
  await show();
  expect(text("worker-totals")).toBe("3 conversations · 69 turns · 405,260 tokens not read, net 404,660");
  await user.selectOptions(screen.getByTestId("worker-used"), "Today");
  expect(location.hash).toBe("#/worker?used=1");
  expect(screen.getAllByTestId(/^worker-row-/)).toHaveLength(1);
  expect(text("worker-totals")).toBe(
    "1 conversation · 64 turns · 394,060 tokens not read, net 394,060 Sums are of whole conversations, whenever their turns were.",
  );
  await user.selectOptions(screen.getByTestId("worker-client"), "gemini-cli");
  await waitFor(() => expect(screen.getByText(/Filtered by: gemini-cli, 1\./)).toBeTruthy());
  const [inTheResult] = screen.getAllByRole("button", { name: "Clear filters" }).slice(-1);
  await user.click(inTheResult as HTMLElement);
  expect(location.hash).toBe("#/worker");
  expect(screen.getAllByTestId(/^worker-row-/)).toHaveLength(3);
});

test("conversations that cost more than they spared say so in their row and in the sums", async () => {
  const loss = savedTotals({ gathered_tokens: 100, returned_tokens: 900, avoided_input: 0 });
  await show("#/worker", { ...busyWorld(), sessions: [session({ key: "k", turns: 1, tokens_saved: loss })] });
  expect(text("worker-row-k")).toContain("More to read");
  expect(text("worker-totals")).toBe("1 conversation · 1 turn · 0 tokens not read, net -800 More to read");
  await user.click(within(screen.getByTestId("worker-row-k")).getByRole("link"));
  await waitFor(() => expect(text("worker-drawer")).toContain("Input, net -800 More to read"));
});

test("before its first use the view says how the worker comes to be on", async () => {
  await show("#/worker", emptyWorld());
  for (const part of ["has not been used yet", "you are asked", 'arm = "on"', "turns no other on"])
    expect(text("face-empty")).toContain(part);
  expect(screen.queryByTestId("worker-purge")).toBeNull();
});

test("a conversation is shown with its counts, its turns and its materials", async () => {
  await show(`#/worker?session=${LIVE}`);
  await screen.findByTestId("worker-turns");
  const drawer = text("worker-drawer");
  for (const part of [
    "answered in a question",
    "12 ran, 0 failed",
    "What the list does not cover asks",
    "21 by the list · 3 allowed once · 1 allowed from then on · 1 refused · 2 denied by rule",
    "394,060 tokens",
    "The last 4 of 64",
  ])
    expect(drawer).toContain(part);
  const turns = within(screen.getByTestId("worker-turns")).getAllByRole("listitem");
  expect(turns[0]?.textContent).toContain("184,220 characters read here, 2,140 handed back");
  expect(turns[0]?.textContent).toContain("built-in condenser");
  expect(turns[1]?.textContent).toContain("qwen3-4b");
  expect(turns[2]?.textContent).toContain("Failed");
  expect(turns[3]?.textContent).toContain("Change of mode");
  expect(within(screen.getByTestId("worker-artifacts")).getAllByRole("listitem")).toHaveLength(3);
  expect(backend.callsOf("worker/session")).toEqual([{ key: LIVE }]);
});

test("of a hidden value nothing is on the screen but its placeholder and its kind", async () => {
  await show(`#/worker?session=${LIVE}`);
  await screen.findByTestId("worker-placeholders");
  expect(text("worker-placeholders")).toContain("[SECRET-2] Secrets");
  await user.click(screen.getByTestId("worker-show-texts"));
  expect(document.body.textContent).not.toContain(ENDS);
  expect(document.body.innerHTML).not.toContain("14 characters");
});

test("texts are shown when asked for, and closed again for the next conversation", async () => {
  const world = busyWorld();
  await show(`#/worker?session=${QUIET}`, world);
  await screen.findByTestId("worker-turns");
  expect(text("worker-drawer")).toContain("private values can stand in them");
  for (const secret of [turn().task, turn().source, "is named in both", "Goal: get the tests green."])
    expect(document.body.textContent).not.toContain(secret);
  const button = screen.getByTestId("worker-show-texts");
  await user.click(button);
  expect(button.getAttribute("aria-pressed")).toBe("true");
  expect(text("worker-turns")).toContain("is named in both");
  expect(text("worker-summary-text")).toContain("Goal: get the tests green.");
  expect(text("worker-artifacts")).toContain(turn().source);
  location.hash = `#/worker?session=${LIVE}`;
  await waitFor(() => expect(text("worker-drawer")).toContain(LIVE));
  expect(screen.getByTestId("worker-show-texts").getAttribute("aria-pressed")).toBe("false");
  expect(text("worker-turns")).not.toContain("is named in both");
  expect(text("worker-drawer")).not.toContain("private values can stand in them");
});

test("marks that hide or turn text are written out in the texts, lines stay lines", async () => {
  const world = busyWorld();
  await show("#/worker", world);
  const detail = await backend.call("worker/session", { key: LIVE });
  const turns = [turn({ result: "a\n\u202Eb", source: "x\u2066y", task: "c\u001Bd" })];
  backend.handlers["worker/session"] = () => ({ ...detail, turns });
  await user.click(within(screen.getByTestId(`worker-row-${LIVE}`)).getByRole("link"));
  await user.click(await screen.findByTestId("worker-show-texts"));
  const texts = screen.getByTestId("worker-texts");
  expect(within(texts).getByRole("region").textContent).toBe("a\n⟨U+202E⟩b");
  expect(texts.textContent).toContain("x⟨U+2066⟩y");
  expect(texts.textContent).toContain("c⟨U+001B⟩d");
});

test("turning a conversation on asks first and starts on no, turning it off does not", async () => {
  await show(`#/worker?session=${QUIET}`);
  await user.click(await screen.findByTestId("worker-on"));
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog.textContent).toContain("claude-code");
  expect(dialog.textContent).toContain("one conversation and no other");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("worker-on-confirm-refuse")));
  await user.keyboard("{Enter}");
  expect(backend.callsOf("worker/arm")).toEqual([]);
  await user.click(screen.getByTestId("worker-on"));
  await user.click(await screen.findByTestId("worker-on-confirm-confirm"));
  await waitFor(() => expect(text("worker-drawer")).toContain("On switched by you"));
  await user.click(screen.getByTestId("worker-off"));
  await waitFor(() => expect(text("worker-drawer")).toContain("Off switched by you"));
  expect(backend.callsOf("worker/arm")).toEqual([
    { key: QUIET, is_on: true },
    { key: QUIET, is_on: false },
  ]);
  await waitFor(() =>
    expect(document.getElementById("live-polite")?.textContent).toBe("The worker is off in this conversation"),
  );
});

test("a conversation that was not decided on can be turned on and off", async () => {
  await show("#/worker?session=pid-5102");
  expect(await screen.findByTestId("worker-on")).toBeTruthy();
  expect(text("worker-drawer")).toContain("asked 2 times, without an answer");
  await user.click(screen.getByTestId("worker-off"));
  await waitFor(() => expect(screen.queryByTestId("worker-off")).toBeNull());
});

test("removing a conversation counts first, names what goes, and removes only after a yes", async () => {
  await show(`#/worker?session=${QUIET}`);
  await user.click(await screen.findByTestId("worker-remove-session"));
  const dialog = await screen.findByRole("alertdialog");
  for (const part of [
    "Remove this conversation?",
    QUIET,
    "1 conversation",
    "1 hidden value",
    "1 stored material, 48.2 kB",
  ])
    expect(dialog.textContent).toContain(part);
  expect(dialog.textContent).toContain("cannot be brought back");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("worker-remove-confirm-refuse")));
  await user.keyboard("{Enter}");
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  const counted = { key: QUIET, what: "session", before: null, dry_run: true };
  expect(backend.callsOf("worker/purge")).toEqual([counted]);
  await user.click(screen.getByTestId("worker-remove-session"));
  await user.click(await screen.findByTestId("worker-remove-confirm-confirm"));
  await waitFor(() => expect(screen.queryByTestId(`worker-row-${QUIET}`)).toBeNull());
  expect(backend.callsOf("worker/purge").slice(1)).toEqual([counted, { ...counted, dry_run: false }]);
  expect(location.hash).toBe("#/worker");
  await waitFor(() => expect(screen.queryByTestId("worker-drawer")).toBeNull());
});

test("values and materials can be removed alone, and what went is said", async () => {
  const world = busyWorld();
  await show(`#/worker?session=${QUIET}`, world);
  await user.click(await screen.findByTestId("worker-remove-placeholders"));
  expect((await screen.findByRole("alertdialog")).textContent).toContain("can no longer be turned back");
  await user.click(screen.getByTestId("worker-remove-confirm-confirm"));
  await waitFor(() => expect(text("worker-removed")).toContain("1 hidden value"));
  expect(text("worker-removed")).not.toContain("conversation");
  await user.click(screen.getByTestId("worker-remove-artifacts"));
  await user.click(await screen.findByTestId("worker-remove-confirm-confirm"));
  await waitFor(() => expect(text("worker-removed")).toContain("1 stored material"));
  expect(world.sessions.find((each) => each.key === QUIET)).toMatchObject({ placeholders: {}, artifacts: 0 });
});

test("of a conversation in use only materials can be removed here", async () => {
  await show(`#/worker?session=${LIVE}`);
  await screen.findByTestId("worker-remove-session");
  expect(inert("worker-remove-session")).toBe("true");
  await user.click(screen.getByTestId("worker-remove-session"));
  await user.click(screen.getByTestId("worker-remove-placeholders"));
  expect(backend.callsOf("worker/purge")).toEqual([]);
  const reason = screen.getByTestId("worker-remove-session").getAttribute("aria-describedby") ?? "";
  expect(document.getElementById(reason)?.textContent).toContain(`lwa worker purge ${LIVE}`);
  await user.click(screen.getByTestId("worker-remove-artifacts"));
  expect((await screen.findByRole("alertdialog")).textContent).toContain("8 stored materials, 2.1 MB");
});

test("what is old goes from every conversation that is not in use, and those that stay are counted", async () => {
  await show();
  await user.selectOptions(screen.getByTestId("purge-age"), "More than 30 days ago");
  await user.click(screen.getByTestId("purge-count"));
  expect((await screen.findByRole("alertdialog")).textContent).toContain("1 conversation with its turns");
  const [wish] = backend.callsOf("worker/purge");
  expect(wish).toMatchObject({ key: null, what: "session", dry_run: true });
  const days = (Date.now() - Date.parse(wish?.before ?? "")) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThan(30.1);
  await user.click(screen.getByTestId("worker-remove-confirm-refuse"));
  await user.selectOptions(screen.getByTestId("purge-age"), "At any time");
  await user.click(screen.getByTestId("purge-count"));
  expect((await screen.findByRole("alertdialog")).textContent).toContain("1 conversation in use stays");
  await user.click(screen.getByTestId("worker-remove-confirm-confirm"));
  await waitFor(() => expect(text("worker-removed")).toContain("2 conversations"));
  expect(screen.getByTestId(`worker-row-${LIVE}`)).toBeTruthy();
  expect(screen.queryByTestId(`worker-row-${QUIET}`)).toBeNull();
  expect(backend.callsOf("worker/purge").at(-1)).toMatchObject({ key: null, before: null, dry_run: false });
});

test("where nothing would go, nothing is asked", async () => {
  await show("#/worker", { ...busyWorld(), sessions: [session()] });
  await user.click(screen.getByTestId("purge-count"));
  await waitFor(() => expect(text("worker-removed")).toContain("nothing to remove"));
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(backend.callsOf("worker/purge")).toHaveLength(1);
});

test.each(["session", "placeholders"])(
  "a conversation that comes into use while its removal is asked about keeps its %s, and the reason is said",
  async (what) => {
    const world = busyWorld();
    await show(`#/worker?session=${QUIET}`, world);
    await screen.findByTestId("worker-turns");
    await user.click(screen.getByTestId(`worker-remove-${what}`));
    await screen.findByRole("alertdialog");
    world.sessions = world.sessions.map((each) => ({ ...each, is_live: true }));
    await user.click(screen.getByTestId("worker-remove-confirm-confirm"));
    await waitFor(() => expect(text("worker-held-now")).toContain("a client came back to this conversation"));
    expect(backend.callsOf("worker/purge").filter((wish) => !wish.dry_run)).toEqual([]);
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(screen.queryByTestId("worker-removed")).toBeNull();
    expect(location.hash).toBe(`#/worker?session=${QUIET}`);
    // The list and the drawer know it now, and offer it no more.
    await waitFor(() => expect(inert(`worker-remove-${what}`)).toBe("true"));
    expect(text("worker-drawer")).toContain("In use: the conversation and its values can be removed");
  },
);

test("materials go although the conversation came into use, because it does not rely on them", async () => {
  const world = busyWorld();
  await show(`#/worker?session=${QUIET}`, world);
  await screen.findByTestId("worker-turns");
  await user.click(screen.getByTestId("worker-remove-artifacts"));
  await screen.findByRole("alertdialog");
  world.sessions = world.sessions.map((each) => ({ ...each, is_live: true }));
  await user.click(screen.getByTestId("worker-remove-confirm-confirm"));
  await waitFor(() => expect(text("worker-removed")).toContain("1 stored material"));
  expect(screen.queryByTestId("worker-held-now")).toBeNull();
});

test("a refusal is said where it was tried, and nothing counts as removed", async () => {
  await show(`#/worker?session=${QUIET}`);
  await screen.findByTestId("worker-turns");
  backend.handlers["worker/purge"] = () => {
    throw failed("forbidden", "a client's process may not do this", "use the app");
  };
  await user.click(screen.getByTestId("worker-remove-session"));
  const drawer = within(screen.getByTestId("worker-drawer"));
  expect((await drawer.findByTestId("failure")).textContent).toContain("Use the app.");
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(screen.queryByTestId("worker-removed")).toBeNull();
});

test("a change of a conversation is read at once, of the one that is open too", async () => {
  const world = busyWorld();
  await show(`#/worker?session=${LIVE}`, world);
  await screen.findByTestId("worker-turns");
  backend.calls.length = 0;
  world.sessions = world.sessions.map((each) => (each.key === LIVE ? { ...each, turns: 65 } : each));
  backend.emit({ type: "worker_changed", session: LIVE });
  await waitFor(() => expect(text("worker-drawer")).toContain("The last 4 of 65"));
  expect(text(`worker-row-${LIVE}`)).toContain("65");
  expect(backend.calls.map((call) => call.method).sort()).toEqual(["worker/session", "worker/sessions"]);
  backend.calls.length = 0;
  backend.emit({ type: "worker_changed", session: QUIET });
  await waitFor(() => expect(backend.calls.map((call) => call.method)).toEqual(["worker/sessions"]));
});

test("an open conversation that is removed elsewhere says so and shows nothing of it", async () => {
  const world = busyWorld();
  await show(`#/worker?session=${LIVE}`, world);
  await screen.findByTestId("worker-turns");
  world.sessions = [];
  backend.emit({ type: "worker_changed", session: LIVE });
  await waitFor(() => expect(text("worker-gone")).toContain("no longer there"));
  expect(screen.queryByTestId("worker-turns")).toBeNull();
});

async function explain(command: string, folder = ""): Promise<void> {
  await user.clear(screen.getByTestId("policy-command"));
  if (command !== "") await user.type(screen.getByTestId("policy-command"), command);
  if (folder !== "") await user.type(screen.getByTestId("policy-folder"), folder);
  await user.click(screen.getByTestId("policy-run"));
}

test("a command is explained without running: what happens, why, by which rule, and what could be stored", async () => {
  await show("#/worker?tab=commands");
  await explain("npm test", "/srv/shop");
  await waitFor(() => expect(text("policy-result")).toContain("Asks you"));
  for (const part of [
    "npm test",
    "/srv/shop",
    "The list does not cover it.",
    "not on the list",
    "would store npm test*",
  ])
    expect(text("policy-result")).toContain(part);
  expect(backend.callsOf("policy/check")).toEqual([{ command: "npm test", cwd: "/srv/shop" }]);
  expect(backend.callsOf("worker/run")).toEqual([]);
  await waitFor(() => expect(document.getElementById("live-polite")?.textContent).toBe("Asks you"));
});

test.each([
  ["git status -s", "Runs without a question", null],
  ["sudo ls", "Denied, without a question", null],
  ["echo $(date)", "Asks you", "Nothing: it can be allowed once at most"],
])("the command `%s` is told: %s", async (command, decision, always) => {
  await show("#/worker?tab=commands");
  await explain(command);
  await waitFor(() => expect(text("policy-result")).toContain(decision));
  if (always === null) expect(text("policy-result")).not.toContain("would store");
  else expect(text("policy-result")).toContain(always);
});

test("a decision that this window does not know promises nothing", async () => {
  await show("#/worker?tab=commands");
  backend.handlers["policy/check"] = () => ({ decision: "maybe", reason: "r", rule: "x", shapes: ["y*"] });
  await explain("ls");
  await waitFor(() => expect(text("policy-result")).toContain("Not known here"));
  expect(text("policy-result")).not.toContain("y*");
});

test("nothing is not asked about, and what was said of one command does not stand beside the next", async () => {
  await show("#/worker?tab=commands");
  await explain("git status");
  await screen.findByTestId("policy-result");
  await explain("");
  expect(screen.getByRole("alert").textContent).toBe("Enter a command first");
  expect(screen.getByTestId("policy-command").getAttribute("aria-describedby")).toBe("policy-missing");
  expect(screen.queryByTestId("policy-result")).toBeNull();
  expect(backend.callsOf("policy/check")).toHaveLength(1);
  backend.handlers["policy/check"] = () => {
    throw failed("internal", "the database is locked", "close other copies");
  };
  await explain("ls");
  expect((await screen.findByTestId("failure")).textContent).toContain("Close other copies.");
  expect(screen.queryByTestId("policy-result")).toBeNull();
});

test("a command that hides what it is, is written out", async () => {
  await show("#/worker?tab=commands");
  screen.getByTestId<HTMLTextAreaElement>("policy-command").value = "ls \u202Etxt";
  screen.getByTestId("policy-command").dispatchEvent(new Event("input", { bubbles: true }));
  await user.click(screen.getByTestId("policy-run"));
  await waitFor(() => expect(text("policy-result")).toContain("ls ⟨U+202E⟩txt"));
});

test("what waits is told by what it is about, and the question is opened and not answered here", async () => {
  const changes = [
    { key: "run-allow", from: "", to: "git push*", effect: "commands of this shape run without a question" },
    { key: "run-allow", from: "deny: dd*", to: "", effect: "the rule counts no more" },
    { key: "private-terms", from: "2 PERSON", to: "", effect: "they are looked for no more" },
    { key: "worker.run_policy", from: "ask", to: "allow", effect: "commands run without a question" },
    { key: "router.allow_paid", from: "false", to: "true", effect: "paid routes may be used" },
  ];
  const lines = policyApproval({ detail: { type: "policy_change", path: "run-allow.txt", changes } });
  await show("#/worker?tab=commands", { ...busyWorld(), approvals: [lines, approval()] });
  expect(text("worker-waits")).toContain("1 question of the worker is open.");
  expect(text("worker-waits-commands")).toContain("Added: git push*");
  expect(text("worker-waits-commands")).toContain("Taken out: deny: dd*");
  expect(text("worker-waits-terms")).toContain("Taken out: 2 PERSON They are looked for no more.");
  expect(text("worker-waits-settings")).toContain("worker.run_policy ask → allow");
  expect(text("worker-waits")).not.toContain("router.allow_paid");
  await user.click(screen.getByTestId("worker-waits-open"));
  expect(backend.opened).toBe(1);
  for (const method of ["approval/decide", "config/accept", "config/set"] as const)
    expect(backend.callsOf(method)).toEqual([]);
});

test("where nothing waits and nothing is allowed, that is said", async () => {
  await show("#/worker?tab=commands", emptyWorld());
  expect(text("worker-waits")).toContain("No question of the worker");
  expect(screen.queryByTestId("worker-waits-open")).toBeNull();
  backend.handlers["config/show"] = () => ({ path: "", values: [], pending: [], error: null });
  backend.emit({ type: "config_changed", error: null });
  await waitFor(() => expect(text("worker-shapes")).toContain("No shape is allowed for one client or project."));
});

test("shapes that the configuration allows stand with whom they hold for, beside the policy in force", async () => {
  await show("#/worker?tab=commands");
  const shapes = screen
    .getAllByTestId("worker-shape")
    .map((each) => [...each.children].map((cell) => cell.textContent?.trim()).join(" | "));
  expect(shapes).toEqual([
    "git status* | Client codex",
    "cargo test* | Client codex",
    "make test | In /srv/shop and below",
  ]);
  expect(text("worker-run-policy")).toBe("What the list does not cover asks.");
  expect(text("worker-shapes")).toContain("The list for all stands in run-allow.txt");
});

test("a configuration that cannot be read takes the lists away and leaves the explaining", async () => {
  const world = busyWorld();
  history.replaceState(null, "", "#/worker?tab=commands");
  backend = backendOver(world);
  backend.handlers["config/show"] = () => {
    throw failed("forbidden", "not for this window");
  };
  render(ObservatoryView, { backend });
  await screen.findByTestId("face-denied");
  expect(screen.queryByTestId("worker-shapes")).toBeNull();
  await explain("git status");
  await screen.findByTestId("policy-result");
});

test("a view that is left reads no more", async () => {
  await show();
  location.hash = "#/audit";
  await screen.findByTestId("audit-verify");
  backend.calls.length = 0;
  backend.emit({ type: "worker_changed", session: LIVE });
  await Promise.resolve();
  expect(backend.callsOf("worker/sessions")).toEqual([]);
});
