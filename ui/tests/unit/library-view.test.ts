import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { failed, type FakeBackend } from "$lib/ipc/fake/fake-backend";
import { tool } from "$lib/ipc/fake/library";
import { backendOver, busyWorld, emptyWorld, type World } from "$lib/ipc/fake/world";
import ObservatoryView from "$views/ObservatoryView.svelte";

let backend: FakeBackend;
let user: ReturnType<typeof userEvent.setup>;

async function show(hash = "#/library", world: World = busyWorld()): Promise<void> {
  history.replaceState(null, "", hash);
  backend = backendOver(world);
  render(ObservatoryView, { backend });
  await waitFor(() => expect(screen.queryByTestId("face-loading")).toBeNull());
}

const text = (testid: string) => screen.getByTestId(testid).textContent?.replace(/\s+/g, " ").trim() ?? "";

beforeEach(() => {
  user = userEvent.setup();
});

test("tools are listed with state, evidence and confidence, and made by hand is not nought", async () => {
  await show();
  expect(text("library-row-release-notes")).toContain("In use");
  expect(text("library-row-release-notes")).toContain("91 %");
  expect(text("library-row-count-lines")).toContain("Not approved");
  expect(text("library-row-count-lines")).not.toContain("0 %");
  expect(within(screen.getByTestId("library-row-count-lines")).getAllByTitle(/Made by hand/)).toHaveLength(2);
  expect(text("library-counts")).toContain("3 in all: in use 1, draft 1, disabled 1, put away 0.");
  expect(text("library-counts")).toContain("Scripts are switched off");
});

test("the search is kept in the address and names what found nothing", async () => {
  await show("#/library?text=changelog");
  expect(screen.getByTestId("library-row-release-notes")).toBeTruthy();
  expect(screen.queryByTestId("library-row-count-lines")).toBeNull();
  await user.type(screen.getByTestId("library-search"), " nothing-like-this");
  await waitFor(() => expect(screen.getByText(/changelog nothing-like-this/)).toBeTruthy());
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(location.hash).toBe("#/library");
  await user.selectOptions(screen.getByTestId("library-status"), "draft");
  await waitFor(() => expect(screen.queryByTestId("library-row-release-notes")).toBeNull());
  expect(screen.getByTestId("library-row-count-lines")).toBeTruthy();
});

test("many tools are drawn a hundred at a time", async () => {
  const tools = Array.from({ length: 101 }, (_, index) => tool({ slug: `t${index}` }));
  await show("#/library", { ...busyWorld(), tools });
  expect(screen.getAllByTestId(/^library-row-/)).toHaveLength(100);
  await user.click(screen.getByRole("button", { name: "Show 1 more" }));
  expect(screen.getAllByTestId(/^library-row-/)).toHaveLength(101);
});

test("an empty library says how recipes come to be", async () => {
  await show("#/library", emptyWorld());
  expect(text("face-empty")).toContain("succeeds several times");
});

test("a tool shows its text with the place for the input, its page, its versions and why it exists", async () => {
  await show();
  await user.click(within(screen.getByTestId("library-row-release-notes")).getByRole("link"));
  await screen.findByTestId("tool-release-notes");
  expect(location.hash).toBe("#/library?tool=release-notes");
  expect(screen.getByTestId("tool-content").querySelector("mark")?.textContent).toBe("{input}");
  expect(text("tool-readme")).toContain("# Release notes");
  const versions = within(screen.getByTestId("tool-versions")).getAllByRole("listitem");
  expect(versions.map((each) => each.textContent?.includes("In force"))).toEqual([true, false]);
  expect(text("tool-why")).toContain("seen 8 times, 7 of them with success");
  await user.click(screen.getByTestId("library-back"));
  await screen.findByTestId("library-row-triage");
});

test("a tool that is in use offers no approval, a draft does", async () => {
  await show("#/library?tool=release-notes");
  expect(screen.queryByTestId("tool-approve")).toBeNull();
  expect(screen.getByTestId("tool-disable")).toBeTruthy();
});

test("asking to put a tool into use opens the question and gives no answer to it", async () => {
  await show("#/library?tool=count-lines");
  await user.click(screen.getByTestId("tool-approve"));
  await waitFor(() => expect(text("tool-asked")).toContain("Waits for your answer in the approval window"));
  expect(backend.callsOf("library/approve")).toEqual([{ slug: "count-lines", hold_ms: 0 }]);
  expect(backend.opened).toBe(1);
  expect(backend.callsOf("approval/decide")).toEqual([]);
  await waitFor(() => expect(text("nav-waiting-count")).toContain("6"));
});

test.each([
  ["denied" as const, "Denied; it stays out of use"],
  ["timed_out" as const, "Timed out; it stays out of use"],
  ["withdrawn" as const, "Withdrawn"],
])("a question that ended as %s is no longer said to wait", async (outcome, expected) => {
  await show("#/library?tool=count-lines");
  await user.click(screen.getByTestId("tool-approve"));
  await waitFor(() => expect(text("tool-asked")).toContain("Waits"));
  backend.emit({ type: "approval_closed", id: "e6".padEnd(32, "0"), outcome, reason: null });
  await waitFor(() => expect(text("tool-asked")).toContain(expected));
});

test("an answer that was given elsewhere is seen on the tool", async () => {
  const world = busyWorld();
  await show("#/library?tool=count-lines", world);
  world.tools = world.tools.map((each) =>
    each.slug === "count-lines" ? { ...each, approved: true, status: "active" } : each,
  );
  backend.emit({ type: "approval_closed", id: "x", outcome: "allowed_always", reason: null });
  await waitFor(() => expect(text("tool-count-lines")).toContain("This content is approved"));
  expect(screen.queryByTestId("tool-approve")).toBeNull();
});

test.each([
  ["denied" as const, "the human said no a moment ago", "Denied"],
  ["unavailable" as const, "there is no window to ask in", "Nowhere to ask"],
])("a wish that ends as %s says so and opens no window", async (status, message, expected) => {
  await show("#/library?tool=count-lines");
  backend.handlers["library/approve"] = () => ({ status, message, approval_id: null, tool: tool() });
  await user.click(screen.getByTestId("tool-approve"));
  await waitFor(() => expect(text("tool-asked")).toContain(expected));
  expect(backend.opened).toBe(0);
});

test("a tool can be disabled and put away", async () => {
  await show("#/library?tool=release-notes");
  await user.click(screen.getByTestId("tool-disable"));
  await waitFor(() => expect(text("tool-release-notes")).toContain("Disabled"));
  expect(screen.queryByTestId("tool-disable")).toBeNull();
  await user.click(screen.getByTestId("tool-archive"));
  await waitFor(() => expect(screen.queryByTestId("tool-archive")).toBeNull());
  expect(backend.callsOf("library/archive")).toEqual([{ slug: "release-notes" }]);
});

test("deleting states its consequence, starts on keeping, and leads back to the list", async () => {
  await show("#/library?tool=triage");
  await user.click(screen.getByTestId("tool-delete"));
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog.textContent).toContain("cannot be brought back");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("tool-delete-confirm-refuse")));
  await user.keyboard("{Enter}");
  expect(backend.callsOf("library/delete")).toEqual([]);
  await user.click(screen.getByTestId("tool-delete"));
  await user.click(await screen.findByTestId("tool-delete-confirm-confirm"));
  await screen.findByTestId("library-row-release-notes");
  expect(backend.callsOf("library/delete")).toEqual([{ slug: "triage" }]);
  await waitFor(() => expect(screen.queryByTestId("library-row-triage")).toBeNull());
  expect(location.hash).toBe("#/library");
});

test("a refusal to change a tool is said beside it", async () => {
  await show("#/library?tool=release-notes");
  backend.handlers["library/disable"] = () => {
    throw failed("internal", "the folder cannot be written", "check its owner");
  };
  await user.click(screen.getByTestId("tool-disable"));
  expect((await screen.findByTestId("failure")).textContent).toContain("Check its owner.");
  expect(text("tool-release-notes")).toContain("In use");
});

test("a tool that is gone is an error with its way out", async () => {
  await show("#/library?tool=nobody");
  expect(text("face-error")).toContain("List them with");
});

test("patterns say what repeats, which have a recipe and which could have one", async () => {
  await show("#/library?tab=patterns");
  const rows = screen.getAllByTestId("pattern-row");
  expect(
    within(rows[0] as HTMLElement)
      .getByRole("link")
      .getAttribute("href"),
  ).toBe("#/library?tool=release-notes");
  expect(rows[1]?.textContent).toContain("Ready for a recipe");
  expect(rows[2]?.textContent).toContain("Not enough successes yet");
});

test("analysing makes recipes of what is ready and says how many", async () => {
  await show("#/library?tab=patterns");
  await user.click(screen.getByTestId("library-analyze"));
  await waitFor(() => expect(screen.queryByText("Ready for a recipe")).toBeNull());
  expect(backend.callsOf("library/analyze")).toEqual([{ limit: null }]);
  await waitFor(() => expect(document.getElementById("live-polite")?.textContent).toBe("1 recipe was made"));
});

test("without patterns the view says what is compared and what is not kept", async () => {
  await show("#/library?tab=patterns", emptyWorld());
  expect(text("face-empty")).toContain("never by its text");
});

test("what the library repaired by itself is told", async () => {
  const world = busyWorld();
  history.replaceState(null, "", "#/library");
  backend = backendOver(world);
  const status = await backend.call("library/status", {});
  const notices = ["2026-11-29T10:00:00Z: a tool without a description was put aside"];
  backend.handlers["library/status"] = () => ({ ...status, library: { ...status.library, notices } });
  render(ObservatoryView, { backend });
  expect((await screen.findByTestId("library-notices")).textContent).toContain("was put aside");
});
