import type { ApprovalItem, ConfigShown } from "$lib/ipc/generated/protocol";

export type Change = ConfigShown["pending"][number];

/** What a change that waits is about. */
export const ABOUT = ["commands", "terms", "settings"] as const;
export type About = (typeof ABOUT)[number];

function aboutOf(change: Change): About | null {
  if (change.key === "run-allow") return "commands";
  if (change.key === "private-terms" || change.key === "rules") return "terms";
  return /(^|\.)worker\./.test(change.key) ? "settings" : null;
}

/** The changes of the worker's lists and settings that wait for a human, by what they are about. */
export function waitingChanges(config: ConfigShown): { about: About; changes: Change[] }[] {
  return ABOUT.map((about) => ({
    about,
    changes: config.pending.filter((change) => aboutOf(change) === about),
  })).filter(({ changes }) => changes.length > 0);
}

/** Open questions of the worker: of its calls, and about its lists and settings. */
export function openQuestions(approvals: ApprovalItem[]): ApprovalItem[] {
  return approvals.filter(({ detail, outcome }) => {
    if (outcome !== null) return false;
    if (detail.type === "policy_change") return detail.changes.some((change) => aboutOf(change) !== null);
    return detail.type === "turn_on" || detail.type === "command" || detail.type === "disclosure";
  });
}

/** A shape of commands that a setting allows, and for whom. */
export interface AllowedShape {
  shape: string;
  /** The client or the folder. */
  name: string;
  reach: "client" | "project";
}

/** The shapes that the configuration allows. Those of the list in its own file are not among them. */
export function allowedShapes(config: ConfigShown): AllowedShape[] {
  return config.values.flatMap(({ key, value }) => {
    const [, table = "", name = ""] = /^(clients|projects)\.(.+)\.worker\.allow$/.exec(key) ?? [];
    if (!Array.isArray(value) || table === "") return [];
    const reach = table === "clients" ? ("client" as const) : ("project" as const);
    return value.map((shape) => ({ shape: String(shape), name, reach }));
  });
}
