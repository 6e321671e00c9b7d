import type { Backend } from "./backend";
import { TauriBackend } from "./tauri";

/**
 * The backend of this build. The scripted one exists only in builds of the mode `fake`; the condition
 * is a constant at build time, so a production bundle holds no trace of it (the budget script checks).
 */
export async function connect(): Promise<Backend> {
  if (import.meta.env.MODE === "fake") {
    const { backendForScenario } = await import("./fake/scenario");
    return backendForScenario(new URLSearchParams(location.search));
  }
  return new TauriBackend();
}
