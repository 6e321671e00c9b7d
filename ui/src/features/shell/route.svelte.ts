export const VIEWS = [
  "overview",
  "waiting",
  "plans",
  "ledger",
  "providers",
  "library",
  "worker",
  "savings",
  "audit",
  "settings",
] as const;
export type ViewName = (typeof VIEWS)[number];

/** The location hash as view and query, `#/ledger?provider=groq`, so that reload and back keep both. */
export class Route {
  view = $state<ViewName>("overview");
  query = $state.raw(new URLSearchParams());
  /** Whether the address named no view when the window opened. */
  readonly isFirst: boolean;
  readonly #listen = () => this.#read();

  constructor() {
    this.isFirst = location.hash === "";
    this.#read();
    window.addEventListener("hashchange", this.#listen);
  }

  get(name: string): string {
    return this.query.get(name) ?? "";
  }

  /** Changes parameters of the view without a step in the history; empty ones are left out. */
  set(changes: Record<string, string>): void {
    const query = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === "") query.delete(name);
      else query.set(name, value);
    }
    history.replaceState(null, "", link(this.view, query));
    this.#read();
  }

  go(view: ViewName): void {
    location.hash = link(view);
  }

  stop(): void {
    window.removeEventListener("hashchange", this.#listen);
  }

  #read(): void {
    const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    this.view = VIEWS.find((view) => view === path) ?? "overview";
    this.query = new URLSearchParams(query);
  }
}

/** The address of a view. */
export function link(view: ViewName, query: URLSearchParams | Record<string, string> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}
