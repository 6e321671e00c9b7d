import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeBackend } from "$lib/ipc/fake/fake-backend";
import { approval } from "$lib/ipc/fake/samples";
import { backendOver, busyWorld } from "$lib/ipc/fake/world";
import { Observatory, since } from "./observatory.svelte";

let backend: FakeBackend;
let all: Observatory;

async function opened(): Promise<void> {
  backend = backendOver(busyWorld());
  all = new Observatory(backend);
  await vi.advanceTimersByTimeAsync(0);
  backend.calls.length = 0;
}

async function methodsAfter(event: Parameters<FakeBackend["emit"]>[0]): Promise<string[]> {
  backend.emit(event);
  await vi.advanceTimersByTimeAsync(0);
  return backend.calls.map((call) => call.method).sort();
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => all.stop());

test("an event leads to reading what it touches and nothing else", async () => {
  await opened();
  expect(await methodsAfter({ type: "ledger_changed" })).toEqual([
    "ledger/list",
    "ledger/telemetry",
    "provider/list",
    "quota/list",
  ]);
});

test.each(["library_changed", "worker_changed"] as const)(
  "after %s the shell reads nothing itself, the view that shows it does",
  async (type) => {
    await opened();
    expect(await methodsAfter(type === "worker_changed" ? { type, session: "a" } : { type })).toEqual([]);
    expect(all.hasNews).toBe(false);
  },
);

test("an opened question is counted as waiting", async () => {
  await opened();
  expect(all.waiting).toBe(5);
  const items = [approval({ id: "1" }), approval({ id: "2", outcome: "denied" })];
  backend.handlers["approval/list"] = () => ({ approvals: items });
  await methodsAfter({ type: "approval_opened", approval: approval({ id: "1" }) });
  expect(all.waiting).toBe(1);
});

test("dropped events lead to reading everything", async () => {
  await opened();
  expect(await methodsAfter({ type: "lagged" })).toHaveLength(9);
});

test("figures can stand still while questions go on, and catch up afterwards", async () => {
  await opened();
  all.setLive(false);
  expect(await methodsAfter({ type: "ledger_changed" })).toEqual([]);
  expect(all.hasNews).toBe(true);
  backend.calls.length = 0;
  const opening = { type: "approval_opened", approval: approval() } as const;
  expect(await methodsAfter(opening)).toEqual(["approval/list", "host/status"]);
  all.setLive(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(backend.callsOf("ledger/list")).toHaveLength(1);
  expect(all.hasNews).toBe(false);
});

test("nothing is read before the first word on the connection, everything once it is there", async () => {
  backend = new FakeBackend(backendOver(busyWorld()).handlers, { state: "connecting", detail: null });
  all = new Observatory(backend);
  await vi.advanceTimersByTimeAsync(0);
  expect(backend.calls).toEqual([]);
  backend.setConnection({ state: "ready", detail: null });
  await vi.advanceTimersByTimeAsync(0);
  expect(backend.calls).toHaveLength(9);
});

test("losing the host makes what is shown old, with its reason", async () => {
  await opened();
  backend.refuseAll(() => new Error("the host is gone"));
  backend.setConnection({ state: "lost", detail: "the socket was closed" });
  await vi.advanceTimersByTimeAsync(0);
  expect(all.telemetry.face).toBe("stale");
  expect(all.telemetry.value).not.toBeNull();
});

test("a range starts at the beginning of a UTC day", () => {
  const noon = Date.UTC(2026, 10, 29, 12);
  expect(since(1, noon)).toBe("2026-11-29T00:00:00.000Z");
  expect(since(7, noon)).toBe("2026-11-23T00:00:00.000Z");
});

test("another range is read once, the same one not again", async () => {
  await opened();
  all.setRange(30);
  all.setRange(30);
  await vi.advanceTimersByTimeAsync(0);
  expect(backend.callsOf("ledger/telemetry")).toHaveLength(1);
});
