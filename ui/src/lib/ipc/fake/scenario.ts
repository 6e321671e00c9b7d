import type { Backend } from "../backend";
import { failed } from "./fake-backend";
import { commandApproval, disclosureApproval, turnOnApproval } from "./worker-questions";
import { backendOver, busyWorld, emptyWorld } from "./world";

/** A host for looking at the views in a plain browser, chosen by `?scenario=`. */
export function backendForScenario(query: URLSearchParams): Backend {
  const theme = query.get("theme");
  if (theme) document.documentElement.dataset["theme"] = theme;
  const isEmpty = query.get("scenario") === "empty";
  const world = isEmpty ? emptyWorld() : busyWorld();
  if (!isEmpty) world.approvals.push(turnOnApproval(), commandApproval(), disclosureApproval());
  // All that the worker did is long ago.
  if (query.get("scenario") === "quiet") world.counted = world.counted.slice(0, 1);
  const kind = query.get("kind");
  if (kind) world.approvals = world.approvals.filter((item) => item.detail.type === kind);
  const backend = backendOver(world);
  switch (query.get("scenario")) {
    case "error":
      backend.refuseAll(() => failed("internal", "the database is locked", "close other copies of the program"));
      break;
    case "denied":
      backend.refuseAll(() => failed("forbidden", "this window may not call the method"));
      break;
    case "loading":
      backend.refuseAll(null);
      break;
    case "stale":
      setTimeout(() => {
        backend.refuseAll(() => failed("host_unreachable", "the host ended before it answered"));
        backend.emit({ type: "lagged" });
      }, 300);
      break;
    case "lost":
      setTimeout(() => backend.setConnection({ state: "lost", detail: "the socket was closed" }), 300);
      break;
  }
  return backend;
}
