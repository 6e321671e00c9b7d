import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { failed, type FakeBackend } from "$lib/ipc/fake/fake-backend";
import { approval } from "$lib/ipc/fake/samples";
import { backendOver, emptyWorld } from "$lib/ipc/fake/world";
import { ApprovalWindow } from "./approval-window.svelte";
import { GRACE_MS } from "./grace.svelte";

let backend: FakeBackend;
let asked: ApprovalWindow;

async function opened(...ids: string[]): Promise<void> {
  backend = backendOver({ ...emptyWorld(), approvals: ids.map((id) => approval({ id })) });
  asked = new ApprovalWindow(backend);
  await vi.advanceTimersByTimeAsync(0);
}

async function afterGrace(): Promise<void> {
  await vi.advanceTimersByTimeAsync(GRACE_MS);
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => asked.stop());

test("an answer within the grace period is not sent", async () => {
  await opened("1");
  await asked.answer("allow_once");
  await asked.answer("deny");
  expect(backend.callsOf("approval/decide")).toEqual([]);
});

test("an answer after the grace period is sent and the next question has a grace of its own", async () => {
  await opened("1", "2");
  await afterGrace();
  await asked.answer("allow_once");
  expect(backend.callsOf("approval/decide")).toEqual([
    { id: "1", answer: "allow_once", reason: null, code: null, variant: null },
  ]);
  expect(asked.shown?.id).toBe("2");
  expect(asked.isLive).toBe(false);
  await asked.answer("allow_once");
  expect(backend.callsOf("approval/decide")).toHaveLength(1);
});

test("the next question is announced politely", async () => {
  await opened("1", "2");
  await afterGrace();
  await asked.answer("deny");
  await vi.advanceTimersByTimeAsync(50);
  expect(document.getElementById("live-polite")?.textContent).toBe(asked.shown?.title);
});

test("a reason goes with a denial and with nothing else", async () => {
  await opened("1", "2");
  await afterGrace();
  asked.reason = "  too dear ";
  await asked.answer("deny");
  await afterGrace();
  asked.reason = "ignored";
  await asked.answer("allow_once");
  expect(backend.callsOf("approval/decide").map((call) => call.reason)).toEqual(["too dear", null]);
});

test("UX-22 an answer that is not offered is never sent", async () => {
  await opened("1");
  await afterGrace();
  await asked.answer("allow_always");
  expect(backend.callsOf("approval/decide")).toEqual([]);
});

test("UX-3 closing the window answers nothing", async () => {
  await opened("1");
  await afterGrace();
  await asked.close();
  asked.stop();
  expect(backend.closed).toBe(1);
  expect(backend.callsOf("approval/decide")).toEqual([]);
});

test("UX-4 running out of time answers nothing by itself", async () => {
  await opened("1");
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  expect(backend.callsOf("approval/decide")).toEqual([]);
});

test("UX-13 bringing the window forward starts the grace period again and answers nothing", async () => {
  await opened("1");
  await afterGrace();
  asked.windowFocused();
  await asked.answer("deny");
  expect(asked.isLive).toBe(false);
  expect(backend.callsOf("approval/decide")).toEqual([]);
});

test("UX-23 a withdrawn question stays, unanswerable, until it is put away", async () => {
  await opened("1", "2");
  await afterGrace();
  backend.emit({ type: "approval_closed", id: "1", outcome: "withdrawn", reason: "the client left" });
  expect(asked.shown?.id).toBe("1");
  expect(asked.isLive).toBe(false);
  await asked.answer("allow_once");
  expect(backend.callsOf("approval/decide")).toEqual([]);
  asked.dismissEnded();
  expect(asked.shown?.id).toBe("2");
});

test("UX-14 a question that was missed while the connection was lost is found again", async () => {
  await opened("1");
  backend.setConnection({ state: "lost", detail: "gone" });
  await afterGrace();
  await asked.answer("allow_once");
  expect(backend.callsOf("approval/decide")).toEqual([]);
  const items = [approval({ id: "1" }), approval({ id: "9" })];
  backend.handlers["approval/list"] = () => ({ approvals: items });
  backend.setConnection({ state: "ready", detail: null });
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.queue.items.map((item) => item.id)).toEqual(["1", "9"]);
});

test("a refused answer is shown and the question stays", async () => {
  await opened("1");
  backend.handlers["approval/decide"] = () => {
    throw failed("forbidden", "an answer may not come from there");
  };
  await afterGrace();
  await asked.answer("allow_once");
  expect(asked.failure?.message).toBe("an answer may not come from there");
  expect(asked.shown?.id).toBe("1");
  expect(asked.queue.ending).toBeNull();
});

test("a question that was answered elsewhere says how it ended", async () => {
  await opened("1");
  await afterGrace();
  await backend.call("approval/decide", { id: "1", answer: "deny", reason: "no", code: null, variant: null });
  expect(asked.queue.ending).toEqual({ outcome: "denied", reason: "no" });
  expect(asked.shown?.id).toBe("1");
});

test("events that were dropped lead to a fresh look at the whole queue", async () => {
  await opened("1");
  backend.handlers["approval/list"] = () => ({ approvals: [approval({ id: "5" })] });
  backend.handlers["approval/show"] = () => approval({ id: "1", outcome: "timed_out", outcome_reason: "too late" });
  backend.emit({ type: "lagged" });
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.queue.ending).toEqual({ outcome: "timed_out", reason: "too late" });
  asked.dismissEnded();
  expect(asked.shown?.id).toBe("5");
});

test("two presses send one answer", async () => {
  await opened("1", "2");
  await afterGrace();
  await Promise.all([asked.answer("deny"), asked.answer("deny")]);
  expect(backend.callsOf("approval/decide")).toHaveLength(1);
});

test("a finer answer goes with the answer that it is, and one that is not offered is not sent", async () => {
  const variants = [
    { id: "on", title: "Turn on", answer: "allow_session" as const },
    { id: "on_pii", title: "Turn on for private material", answer: "allow_session" as const },
  ];
  backend = backendOver({ ...emptyWorld(), approvals: [approval({ id: "1", offers: [], variants })] });
  asked = new ApprovalWindow(backend);
  await vi.advanceTimersByTimeAsync(0);
  await afterGrace();
  await asked.answer("allow_once", "on");
  await asked.answer("allow_session", "everything");
  expect(backend.callsOf("approval/decide")).toEqual([]);
  await asked.answer("allow_session", "on_pii");
  expect(backend.callsOf("approval/decide").map((call) => [call.answer, call.variant])).toEqual([
    ["allow_session", "on_pii"],
  ]);
});
