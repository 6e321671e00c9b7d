import type { ApprovalWindow } from "./approval-window.svelte";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}

/**
 * The window's own keys: Escape denies, Ctrl or Cmd with Enter allows once. Nothing else does anything
 * here; Enter and Space belong to whatever has focus.
 */
export function onApprovalKey(event: KeyboardEvent, asked: ApprovalWindow): void {
  if (event.isComposing || event.defaultPrevented) return;
  if (event.key === "Escape" && isTyping(event.target)) {
    // Leaves the field; a second Escape then denies.
    asked.focusTurn += 1;
  } else if (event.key === "Escape" && !event.repeat) {
    if (asked.queue.ending) asked.dismissEnded();
    else void asked.answer("deny");
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    // Without this the browser would also press the focused button.
    event.preventDefault();
    if (!event.repeat && !isTyping(event.target)) void asked.answer("allow_once");
  }
}
