import { VIEWS, type Route } from "./route.svelte";

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}

function focusFilter(): boolean {
  const filter = document.getElementById("view-filter");
  filter?.focus();
  return filter !== null;
}

/** The main window's keys: all are listed in the help, none is needed. */
export function onShellKey(event: KeyboardEvent, route: Route, onhelp: () => void): void {
  if (event.isComposing || event.defaultPrevented) return;
  const isCommand = event.ctrlKey || event.metaKey;
  const view = isCommand && !event.altKey && /^[1-9]$/.test(event.key) ? VIEWS[Number(event.key) - 1] : undefined;
  let isHandled = true;
  if (view) route.go(view);
  else if (isCommand && event.key === ",") route.go("settings");
  else if (event.key === "F1") onhelp();
  else if ((isCommand && event.key === "f") || (event.key === "/" && !isField(event.target))) isHandled = focusFilter();
  else isHandled = false;
  if (isHandled) event.preventDefault();
}
