import type { ProviderView } from "$lib/ipc/generated/protocol";

/** Whether nothing but the built-in provider is ready, so that the welcome is worth a look. */
export function isFirstStart(providers: ProviderView[]): boolean {
  return providers.every((provider) => provider.name === "builtin" || provider.state !== "ready");
}
