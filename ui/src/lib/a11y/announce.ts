/**
 * Says something to assistive technology without moving focus.
 *
 * The region is emptied first and filled a moment later, because most readers stay silent when the
 * same text is set twice.
 */
export function announce(text: string, urgency: "polite" | "assertive" = "polite"): void {
  const region = liveRegion(urgency);
  region.textContent = "";
  setTimeout(() => (region.textContent = text), 50);
}

function liveRegion(urgency: "polite" | "assertive"): HTMLElement {
  const id = `live-${urgency}`;
  const existing = document.getElementById(id);
  if (existing) return existing;
  const region = document.createElement("div");
  region.id = id;
  region.className = "visually-hidden";
  region.setAttribute("aria-live", urgency);
  region.setAttribute("aria-atomic", "true");
  document.body.append(region);
  return region;
}
