import { Channel, invoke } from "@tauri-apps/api/core";
import { CallFailed, toFailure, type Backend, type ConnectionStatus, type SelfTest } from "./backend";
import type { MethodName, ParamsOf, ResponseOf } from "./backend";
import type { Event } from "./generated/protocol";
import { Listeners } from "./listeners";

type Frame = { type: "event"; event: Event } | ({ type: "connection" } & ConnectionStatus);

/** Speaks to the host through the app's two commands, `rpc` and `subscribe`. */
export class TauriBackend implements Backend {
  readonly #events = new Listeners<Event>();
  readonly #connections = new Listeners<ConnectionStatus>();
  #status: ConnectionStatus = { state: "connecting", detail: null };

  constructor() {
    const channel = new Channel<Frame>();
    channel.onmessage = (frame) => {
      if (frame.type === "event") this.#events.notify(frame.event);
      else this.#settle({ state: frame.state, detail: frame.detail });
    };
    invoke("subscribe", { channel }).catch((thrown: unknown) => {
      this.#settle({ state: "lost", detail: toFailure(thrown).message });
    });
  }

  async call<M extends MethodName>(method: M, params: ParamsOf<M>): Promise<ResponseOf<M>> {
    try {
      return await invoke<ResponseOf<M>>("rpc", { method, params });
    } catch (thrown) {
      throw new CallFailed(toFailure(thrown));
    }
  }

  onEvent(listener: (event: Event) => void): () => void {
    return this.#events.add(listener);
  }

  connection(): ConnectionStatus {
    return this.#status;
  }

  onConnection(listener: (status: ConnectionStatus) => void): () => void {
    return this.#connections.add(listener);
  }

  async openApproval(): Promise<void> {
    await invoke("open_approval");
  }

  async closeWindow(): Promise<void> {
    // Loaded when it is needed: the module is large and the approval window has to open at once.
    const { getCurrentWindow } = await import("@tauri-apps/api/window");
    await getCurrentWindow().close();
  }

  async fitWindow(width: number, height: number): Promise<void> {
    await invoke("fit_approval", { width, height });
  }

  async selfTest(): Promise<SelfTest> {
    return invoke<SelfTest>("self_test");
  }

  #settle(status: ConnectionStatus): void {
    this.#status = status;
    this.#connections.notify(status);
  }
}
