import type { PurgeWhat, WorkerPurged, WorkerSessionDetail, WorkerSessionView } from "$lib/ipc/generated/protocol";
import { net } from "$features/savings/report";
import { RANGES, since } from "$features/shell/observatory.svelte";

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

/** What conversations are narrowed by; empty for anything. Each lives in the address under its own name. */
export interface SessionFilters {
  text: string;
  client: string;
  state: string;
  /** Days within which it was last used, as the ranges of the overview. */
  used: string;
}

/** Conversations that match everything, and hold every word of the text in their key or client. */
export function matching(sessions: Session[], filters: SessionFilters, now: number): Session[] {
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
  const range = RANGES.find((each) => String(each) === filters.used);
  const from = range ? since(range, now) : "";
  return sessions.filter((session) => {
    if (filters.state !== "" && session.armed.state !== filters.state) return false;
    if (filters.client !== "" && session.client !== filters.client) return false;
    // What is in use is used now, whenever its last call was.
    if (!session.is_live && Date.parse(session.last_seen) < Date.parse(from)) return false;
    const haystack = `${session.key}\n${session.client}`.toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}

/** The clients that have a conversation, and one that is filtered by though it has none. */
export function clients(sessions: Session[], chosen: string): string[] {
  const found = sessions.map((session) => session.client);
  return [...new Set(chosen === "" ? found : [...found, chosen])].sort();
}

/** Sums over conversations, whole ones. */
export function sums(sessions: Session[]): { turns: number; input: number; net: number } {
  return {
    turns: sessions.reduce((sum, session) => sum + session.turns, 0),
    input: sessions.reduce((sum, session) => sum + session.tokens_saved.avoided_input, 0),
    net: sessions.reduce((sum, session) => sum + net(session.tokens_saved), 0),
  };
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

/** Whether a part is relied on by a conversation in use, so that it goes only when nobody uses it. */
export function needsRest(what: PurgeWhat): boolean {
  return what !== "artifacts";
}

/** Whether anything of these counts would be removed. */
export function isNothing(purged: Purged): boolean {
  return purged.sessions === 0 && purged.placeholders === 0 && purged.artifacts === 0;
}
