import type { ApprovalItem, ApprovalKind } from "$lib/ipc/generated/protocol";

/** Open questions of one client, oldest first. */
export interface ClientGroup {
  client: string;
  items: ApprovalItem[];
}

export interface Sorted {
  open: ClientGroup[];
  missed: ApprovalItem[];
  decided: ApprovalItem[];
}

const MISSED = ["timed_out", "withdrawn", "dismissed", "unavailable"];

/** The word for a question; less asking in one session is not an edit of the configuration. */
export function kindOf(item: ApprovalItem): ApprovalKind | "session_consent" {
  return item.detail.type === "session_consent" ? item.detail.type : item.kind;
}

/** Open questions by client in order of arrival; ended ones apart by whether a human answered. */
export function sortApprovals(items: ApprovalItem[]): Sorted {
  const groups = new Map<string, ApprovalItem[]>();
  const sorted: Sorted = { open: [], missed: [], decided: [] };
  for (const item of items) {
    if (item.outcome === null) groups.set(item.client, [...(groups.get(item.client) ?? []), item]);
    else if (MISSED.includes(item.outcome)) sorted.missed.push(item);
    else sorted.decided.push(item);
  }
  sorted.open = [...groups].map(([client, own]) => ({ client, items: own }));
  return sorted;
}
