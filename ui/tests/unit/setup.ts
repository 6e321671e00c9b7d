import { afterEach, vi } from "vitest";

// jsdom draws nothing and so measures nothing.
class Observer {
  observe() {}
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal("ResizeObserver", Observer);

afterEach(() => {
  vi.useRealTimers();
  history.replaceState(null, "", "#");
  for (const region of document.querySelectorAll("[aria-live]")) region.remove();
});
