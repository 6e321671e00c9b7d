import type { Event, Failure, Methods } from "./generated/protocol";

export type MethodName = keyof Methods;
export type ParamsOf<M extends MethodName> = Methods[M]["params"];
export type ResponseOf<M extends MethodName> = Methods[M]["response"];

/** Whether the host can be asked, and why not. */
export interface ConnectionStatus {
  state: "connecting" | "ready" | "lost";
  detail: string | null;
}

/** Whether a client would be served. */
export interface SelfTest {
  ok: boolean;
  millis: number;
  tools: number;
  detail: string;
}

/** The one way out of the web view. */
export interface Backend {
  /** Rejects with a {@link CallFailed} and nothing else. */
  call<M extends MethodName>(method: M, params: ParamsOf<M>): Promise<ResponseOf<M>>;
  onEvent(listener: (event: Event) => void): () => void;
  connection(): ConnectionStatus;
  onConnection(listener: (status: ConnectionStatus) => void): () => void;
  /** Brings up the window that asks the human. */
  openApproval(): Promise<void>;
  closeWindow(): Promise<void>;
  /** Asks for a size of the window; the app keeps it within its bounds. */
  fitWindow(width: number, height: number): Promise<void>;
  /** Starts the sidecar once, as a client would. */
  selfTest(): Promise<SelfTest>;
}

/** A call that the host, or the way to it, refused. */
export class CallFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "CallFailed";
    this.failure = failure;
  }
}

function isFailure(value: unknown): value is Failure {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}

/** Whatever was thrown, as a failure that can be shown. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof CallFailed) return thrown.failure;
  if (isFailure(thrown)) return { ...thrown, hint: thrown.hint ?? null };
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message, hint: null };
}
