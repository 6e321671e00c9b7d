import { render, screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { FakeBackend } from "$lib/ipc/fake/fake-backend";
import { approval, policyApproval, spendDetail } from "$lib/ipc/fake/samples";
import { backendOver, emptyWorld } from "$lib/ipc/fake/world";
import ApprovalView from "$views/ApprovalView.svelte";

const GRACE_MS = 700;
let backend: FakeBackend;
const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });

async function show(...approvals: ReturnType<typeof approval>[]): Promise<void> {
  backend = backendOver({ ...emptyWorld(), approvals });
  render(ApprovalView, { backend });
  await vi.advanceTimersByTimeAsync(0);
}
const pass = () => vi.advanceTimersByTimeAsync(GRACE_MS);
const answers = () => backend.callsOf("approval/decide").map((call) => call.answer);
const button = (name: string) => screen.getByTestId(name);

beforeEach(() => {
  vi.useFakeTimers();
});

test("UX-22 focus starts on Deny and comes back to it for the next question", async () => {
  await show(approval({ id: "1" }), approval({ id: "2", title: "Second?" }));
  expect(document.activeElement).toBe(button("deny"));
  await pass();
  button("allow-once").focus();
  await user.keyboard("{Enter}");
  await vi.advanceTimersByTimeAsync(0);
  expect(button("approval-title").textContent).toBe("Second?");
  expect(document.activeElement).toBe(button("deny"));
});

test("Enter on the first focus denies", async () => {
  await show(approval());
  await pass();
  await user.keyboard("{Enter}");
  expect(answers()).toEqual(["deny"]);
});

test("Escape denies this request and no other", async () => {
  await show(approval({ id: "1" }), approval({ id: "2" }));
  await pass();
  await user.keyboard("{Escape}");
  expect(backend.callsOf("approval/decide").map((call) => [call.id, call.answer])).toEqual([["1", "deny"]]);
});

test("UX-21 Control and Enter within the grace period do nothing, afterwards they allow once", async () => {
  await show(approval());
  await user.keyboard("{Control>}{Enter}{/Control}");
  expect(answers()).toEqual([]);
  await pass();
  await user.keyboard("{Control>}{Enter}{/Control}");
  expect(answers()).toEqual(["allow_once"]);
});

test("Control with Enter does not also press the focused button", async () => {
  await show(approval());
  await pass();
  const event = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true });
  button("deny").dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
});

test("UX-13 a click that brings the window forward answers nothing", async () => {
  await show(approval());
  await pass();
  window.dispatchEvent(new FocusEvent("focus"));
  await user.click(button("deny"));
  expect(answers()).toEqual([]);
  await pass();
  await user.click(button("deny"));
  expect(answers()).toEqual(["deny"]);
});

test("UX-21 a key that is held since before the end of the grace period answers nothing", async () => {
  await show(approval());
  button("deny").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  await pass();
  button("deny").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, repeat: true }));
  button("deny").click();
  expect(answers()).toEqual([]);
  button("deny").dispatchEvent(new KeyboardEvent("keyup", { key: "Enter", bubbles: true }));
  await vi.advanceTimersByTimeAsync(1);
  button("deny").click();
  expect(answers()).toEqual(["deny"]);
});

test("UX-6 letters, digits and Space on the body answer nothing", async () => {
  await show(approval());
  await pass();
  (document.activeElement as HTMLElement).blur();
  await user.keyboard("yYaA1 dn{Enter}");
  expect(answers()).toEqual([]);
});

test("UX-21 random keys around the moment of appearance never allow", async () => {
  await show(approval({ id: "1" }), approval({ id: "2" }));
  const keys = ["a", " ", "y", "{Enter}", "{Tab}", "1", "{Control>}{Enter}{/Control}", "{ArrowRight}"];
  let seed = 11;
  for (let press = 0; press < 60; press += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    await user.keyboard(keys[seed % keys.length] ?? "a");
    // Sixty presses in less than the grace period.
    await vi.advanceTimersByTimeAsync(press % 2 === 0 ? 11 : 10);
  }
  expect(answers()).toEqual([]);
});

test("UX-8 everything is reached by Tab alone: details, Deny, Allow once", async () => {
  await show(approval());
  await pass();
  button("approval-details").focus();
  await user.tab();
  expect(document.activeElement).toBe(button("deny"));
  await user.tab();
  expect(document.activeElement).toBe(button("allow-once"));
  await user.keyboard("{Enter}");
  expect(answers()).toEqual(["allow_once"]);
});

test("buttons say that they are off during the grace period but keep focus", async () => {
  await show(approval());
  expect(button("deny").getAttribute("aria-disabled")).toBe("true");
  expect((button("deny") as HTMLButtonElement).disabled).toBe(false);
  await pass();
  expect(button("deny").getAttribute("aria-disabled")).toBeNull();
});

test("only the answers on offer are shown", async () => {
  await show(approval({ offers: ["allow_once"] }));
  expect(screen.queryByTestId("allow-for")).toBeNull();
});

test("UX-30 a lasting answer needs a second press that states its reach", async () => {
  await show(approval({ offers: ["allow_once", "allow_session"] }));
  await pass();
  expect(button("allow-session").closest("[hidden]")).not.toBeNull();
  await user.click(button("allow-for"));
  expect(screen.getByText(/until the client’s conversation ends/)).toBeTruthy();
  await user.click(button("allow-session"));
  expect(answers()).toEqual(["allow_session"]);
});

test("Escape closes the menu before it denies", async () => {
  await show(approval({ offers: ["allow_once", "allow_session"] }));
  await pass();
  await user.click(button("allow-for"));
  await user.keyboard("{Escape}");
  expect(answers()).toEqual([]);
  expect(button("allow-for").getAttribute("aria-expanded")).toBe("false");
});

test("Escape in the reason leaves the field and Control with Enter there does nothing", async () => {
  await show(approval());
  await pass();
  button("deny-reason").focus();
  await user.keyboard("too dear{Control>}{Enter}{/Control}{Escape}");
  expect(answers()).toEqual([]);
  expect(document.activeElement).toBe(button("deny"));
});

test("UX-15 who asks is said plainly as not verified, with path and folder", async () => {
  await show(approval());
  const who = within(screen.getByRole("region", { name: "Who asks" }));
  expect(who.getByText(/not verified/)).toBeTruthy();
  expect(who.getByText("/usr/local/bin/codex")).toBeTruthy();
  expect(who.getByText("~/projects/harbour")).toBeTruthy();
});

test("an unknown price is a dash with its reason, never zero", async () => {
  const detail = spendDetail({
    estimated_cost_pico_usd: null,
    max_cost_pico_usd: null,
    price_note: "no price is listed",
  });
  await show(approval({ detail }));
  for (const name of ["spend-estimate", "spend-worst"]) {
    expect(button(name).textContent).toContain("—");
    expect(button(name).textContent).not.toContain("$");
    expect(within(button(name)).getByTitle("no price is listed")).toBeTruthy();
  }
});

test("UX-35 the question names the task, the model, who pays and what leaves the machine", async () => {
  await show(approval());
  const what = screen.getByRole("region", { name: "What would happen" }).textContent ?? "";
  for (const part of [
    "Verification",
    "openrouter",
    "example/large-reasoner-2",
    "Paid with your key",
    "61,312",
    "Leaves",
  ])
    expect(what).toContain(part);
});

test("UX-31 the details say which rule made us ask", async () => {
  await show(approval());
  expect(button("approval-details").closest("details")?.open).toBe(false);
  expect(screen.getByText("a paid route needs your consent under `paid_only`")).toBeTruthy();
});

test("a window that comes back reads the queue again and starts a grace period", async () => {
  await show(approval({ id: "1" }));
  await pass();
  backend.handlers["approval/list"] = () => ({ approvals: [approval({ id: "1", count: 4 })] });
  document.dispatchEvent(new Event("visibilitychange"));
  expect(button("deny").getAttribute("aria-disabled")).toBeNull();
  await vi.advanceTimersByTimeAsync(0);
  expect(button("deny").getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByText("4 identical requests, one answer")).toBeTruthy();
});

test("the consequence is filled only when it is serious", async () => {
  await show(approval({ id: "1", is_serious: false }), approval({ id: "2", is_serious: true }));
  expect(button("approval-consequence").className).not.toContain("serious");
  await user.click(button("approval-next"));
  expect(button("approval-consequence").className).toContain("serious");
});

test("UX-12 a configuration change shows each key with both values and its effect", async () => {
  await show(policyApproval());
  expect(screen.getByText("router.consent_mode")).toBeTruthy();
  expect(screen.getByText("paid_only")).toBeTruthy();
  expect(screen.getByText("automatic")).toBeTruthy();
  expect(screen.getByText(/run without asking/)).toBeTruthy();
});

test("marks that reorder text in a client's name are written out", async () => {
  await show(approval({ client: "nice\u202Eevil" }));
  expect(screen.getByText(/nice⟨U\+202E⟩evil/)).toBeTruthy();
});

test("UX-19 a question that arrives changes the count and nothing else", async () => {
  await show(approval({ id: "1", title: "First?" }));
  backend.emit({ type: "approval_opened", approval: approval({ id: "2", title: "Second?" }) });
  await vi.advanceTimersByTimeAsync(0);
  expect(button("approval-title").textContent).toBe("First?");
  expect(button("approval-queue").textContent?.trim()).toBe("1 of 2 waiting");
});

test("UX-23 a withdrawn question says why and can only be put away", async () => {
  await show(approval({ id: "1" }));
  await pass();
  backend.emit({ type: "approval_closed", id: "1", outcome: "withdrawn", reason: "the client left" });
  await vi.advanceTimersByTimeAsync(0);
  expect(button("approval-closed-reason").textContent).toContain("the client left");
  expect(button("allow-once").getAttribute("aria-disabled")).toBe("true");
  await user.click(button("approval-dismiss"));
  expect(answers()).toEqual([]);
  expect(button("approval-title").textContent).toBe("Nothing is waiting");
});

test("a lost connection turns the answers off and says so", async () => {
  await show(approval());
  await pass();
  backend.setConnection({ state: "lost", detail: "the socket was closed" });
  await vi.advanceTimersByTimeAsync(0);
  expect(button("approval-lost").textContent).toContain("answers are off");
  await user.click(button("allow-once"));
  expect(answers()).toEqual([]);
});

test("UX-17 with nothing left the window offers to close itself", async () => {
  await show(approval());
  await pass();
  await user.keyboard("{Enter}");
  await vi.advanceTimersByTimeAsync(0);
  await user.click(button("approval-close"));
  expect(backend.closed).toBe(1);
});

test("a queue that cannot be read is an error and not an empty queue", async () => {
  backend = backendOver(emptyWorld());
  backend.refuseAll(() => new Error("the database is locked"));
  render(ApprovalView, { backend });
  await vi.advanceTimersByTimeAsync(0);
  expect(button("face-error").textContent).toContain("The database is locked.");
  expect(screen.queryByTestId("approval-nothing")).toBeNull();
});

test("the question is an alert dialog named by its heading", async () => {
  await show(approval({ title: "Spend?" }));
  expect(screen.getByRole("alertdialog", { name: "Spend?" })).toBeTruthy();
});

test("UX-2 the countdown stands while the pointer is inside the window", async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  await show(approval());
  const text = () => button("approval-countdown").textContent;
  expect(text()).toContain("closes in 8:00");
  await user.hover(screen.getByRole("main"));
  expect(text()).toContain("Paused at 8:00");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(text()).toContain("Paused at 8:00");
});

test("the footer counts down and Keep waiting asks the host for time", async () => {
  await show(approval());
  expect(button("approval-countdown").textContent).toContain("No answer means no");
  await user.click(button("keep-waiting"));
  expect(backend.callsOf("approval/extend")).toHaveLength(1);
});
