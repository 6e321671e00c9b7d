import type { Channel } from "@tauri-apps/api/core";
import { clearMocks, mockIPC, mockWindows } from "@tauri-apps/api/mocks";
import { afterEach, expect, test } from "vitest";
import { CallFailed } from "./backend";
import { TauriBackend } from "./tauri";

type Args = Record<string, unknown>;
let asked: [string, Args][] = [];
let channel: Channel<unknown>;

/** An app that answers commands; what it throws is a refusal. */
function app(answer: (command: string, args: Args) => unknown): TauriBackend {
  asked = [];
  mockWindows("approval");
  mockIPC((command, payload) => {
    const args = (payload ?? {}) as Args;
    asked.push([command, args]);
    if (command !== "subscribe") return answer(command, args);
    channel = args["channel"] as Channel<unknown>;
    return null;
  });
  return new TauriBackend();
}

afterEach(() => clearMocks());

test("a call becomes the command rpc with method and parameters", async () => {
  const backend = app(() => ({ plans: [] }));
  expect(await backend.call("plan/list", { limit: 5 })).toEqual({ plans: [] });
  expect(asked.at(-1)).toEqual(["rpc", { method: "plan/list", params: { limit: 5 } }]);
});

test("a refusal of the host arrives whole", async () => {
  const failure = { code: "cap_exceeded", message: "the cap is used up", hint: "raise it" };
  const backend = app(() => Promise.reject(failure));
  const thrown = await backend.call("plan/list", { limit: null }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(CallFailed);
  expect((thrown as CallFailed).failure).toEqual(failure);
});

test("a refusal of the shell that is only a text becomes a failure too", async () => {
  const backend = app(() => Promise.reject("command rpc not allowed"));
  const thrown = await backend.call("plan/list", { limit: null }).catch((error: unknown) => error);
  expect((thrown as CallFailed).failure).toEqual({
    code: "internal",
    message: "command rpc not allowed",
    hint: null,
  });
});

test("frames of the channel become events and states of the connection", () => {
  const backend = app(() => null);
  const events: unknown[] = [];
  const states: unknown[] = [];
  backend.onEvent((event) => events.push(event));
  backend.onConnection((status) => states.push(status));
  expect(backend.connection().state).toBe("connecting");
  channel.onmessage({ type: "connection", state: "ready", detail: null });
  channel.onmessage({ type: "event", event: { type: "ledger_changed" } });
  expect(events).toEqual([{ type: "ledger_changed" }]);
  expect(states).toEqual([{ state: "ready", detail: null }]);
  expect(backend.connection().state).toBe("ready");
});

test("the windows are asked for by their own commands", async () => {
  const backend = app(() => null);
  await backend.openApproval();
  await backend.fitWindow(520, 600);
  await backend.closeWindow();
  expect(asked.slice(1).map(([command]) => command)).toEqual(["open_approval", "fit_approval", "plugin:window|close"]);
  expect(asked[2]?.[1]).toEqual({ width: 520, height: 600 });
});
