import { CallFailed, type Backend, type ConnectionStatus, type SelfTest } from "../backend";
import type { MethodName, ParamsOf, ResponseOf } from "../backend";
import type { Event, Failure } from "../generated/protocol";
import { Listeners } from "../listeners";

type Handlers = { [M in MethodName]?: (params: ParamsOf<M>) => ResponseOf<M> | Promise<ResponseOf<M>> };

/** One call that was made, for tests to look at. */
export interface MadeCall {
  method: MethodName;
  params: unknown;
}

/** A host in memory that answers what it was told to answer. */
export class FakeBackend implements Backend {
  readonly calls: MadeCall[] = [];
  opened = 0;
  closed = 0;
  handlers: Handlers;
  readonly #events = new Listeners<Event>();
  readonly #connections = new Listeners<ConnectionStatus>();
  #status: ConnectionStatus;

  constructor(handlers: Handlers = {}, status: ConnectionStatus = { state: "ready", detail: null }) {
    this.handlers = handlers;
    this.#status = status;
  }

  async call<M extends MethodName>(method: M, params: ParamsOf<M>): Promise<ResponseOf<M>> {
    this.calls.push({ method, params });
    const handler = this.handlers[method];
    if (!handler) throw failed("internal", `the script has no answer to \`${method}\``);
    return handler(params);
  }

  /** The parameters of every call of one method, in order. */
  callsOf<M extends MethodName>(method: M): ParamsOf<M>[] {
    return this.calls.filter((call) => call.method === method).map((call) => call.params as ParamsOf<M>);
  }

  /** From now on every call is refused, or with `null` never answered. */
  refuseAll(failure: (() => Error) | null): void {
    const refuse = () => (failure ? Promise.reject(failure()) : new Promise<never>(() => {}));
    const names = Object.keys(this.handlers);
    this.handlers = Object.fromEntries(names.map((name) => [name, refuse])) as Handlers;
  }

  onEvent(listener: (event: Event) => void): () => void {
    return this.#events.add(listener);
  }

  emit(event: Event): void {
    this.#events.notify(event);
  }

  connection(): ConnectionStatus {
    return this.#status;
  }

  onConnection(listener: (status: ConnectionStatus) => void): () => void {
    return this.#connections.add(listener);
  }

  setConnection(status: ConnectionStatus): void {
    this.#status = status;
    this.#connections.notify(status);
  }

  async openApproval(): Promise<void> {
    this.opened += 1;
  }

  async closeWindow(): Promise<void> {
    this.closed += 1;
  }

  async fitWindow(): Promise<void> {}

  async selfTest(): Promise<SelfTest> {
    return { ok: true, millis: 184, tools: 20, detail: "lwa 0.1.0 listed 20 tools" };
  }
}

/** A refusal as the host would send it. */
export function failed(code: Failure["code"], message: string, hint: string | null = null): CallFailed {
  return new CallFailed({ code, message, hint });
}
