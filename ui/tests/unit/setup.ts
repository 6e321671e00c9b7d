import main from "$lib/i18n/en.main.json";
import { addTexts } from "$lib/i18n/text";
import { afterEach, vi } from "vitest";

addTexts(main);

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
