import type { WorkerPurged, WorkerSessionDetail, WorkerSessionView } from "$lib/ipc/generated/protocol";

export type Session = WorkerSessionView;
export type SessionDetail = WorkerSessionDetail;
export type Turn = SessionDetail["turns"][number];
export type Purged = WorkerPurged;

/** Whether the worker is on, as the host names it. */
export const ARMED = ["on", "off", "undecided"] as const;

/** What a state means. */
export function armedTone(state: string): "neutral" | "good" | "attention" {
  return state === "on" ? "good" : state === "off" ? "neutral" : "attention";
}

/** Conversations in a state whose key or client holds every word of the text. */
export function matching(sessions: Session[], text: string, state: string): Session[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return sessions.filter((session) => {
    if (state !== "" && session.armed.state !== state) return false;
    const haystack = `${session.key}\n${session.client}`.toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}

/** Kinds of hidden values with their counts, the most frequent first. */
export function hiddenKinds(session: Session): { kind: string; count: number }[] {
  return Object.entries(session.placeholders)
    .map(([kind, count]) => ({ kind, count }))
    .filter((each) => each.count > 0)
    .sort((one, other) => other.count - one.count || one.kind.localeCompare(other.kind));
}

/** How many values are hidden. */
export function hiddenCount(session: Session): number {
  return hiddenKinds(session).reduce((sum, each) => sum + each.count, 0);
}

/** Whether anything of these counts would be removed. */
export function isNothing(purged: Purged): boolean {
  return purged.sessions === 0 && purged.placeholders === 0 && purged.artifacts === 0;
}
