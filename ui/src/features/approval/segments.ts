import type { CommandDetail } from "$lib/ipc/generated/protocol";

/** One simple command of a command line. */
export interface Segment {
  /** Its place in the line, from one. */
  position: number;
  text: string;
  /** What it does beside printing, in the policy's words. */
  effects: string;
  /** Whether the question is about it; false also where the host did not say which one it is about. */
  isAsking: boolean;
}

/** A shape that "from now on" would add, without its mark for "anything behind it". */
function covers(shape: string, text: string, effects: string): boolean {
  const path = /^>>? (.*)$/.exec(shape)?.[1];
  if (path !== undefined) {
    return effects.split("; ").some((effect) => effect === `writes ${path}` || effect.endsWith(`/${path}`));
  }
  return shape.endsWith("*") ? text.startsWith(shape.slice(0, -1)) : text === shape;
}

/** Whether the reason quotes the segment, or the path that it writes; a long one stands there cut. */
function isQuoted(reason: string, text: string, effects: string): boolean {
  const quoted = [...reason.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
  const written = effects.split("; ").map((effect) => effect.replace(/^writes /, ""));
  return quoted.some(
    (each) => each === text || written.includes(each) || (each.endsWith("…") && text.startsWith(each.slice(0, -1))),
  );
}

/**
 * The simple commands of a question, those that made it ask first, each with its place in the line. The host hands
 * over the policy's explanation: its sentence, a line behind two spaces for each command, and its notes.
 */
export function segmentsOf(detail: CommandDetail): Segment[] {
  const indented = detail.segments.filter((line) => line.startsWith("  "));
  const lines = indented.length > 0 ? indented : detail.segments;
  const segments = lines.map((line, index) => {
    const [, text = "", effects = ""] = /^\s*(.*?)(?: {3}\[(.*)\])?$/.exec(line) ?? [];
    const isAsking =
      isQuoted(detail.reason, text, effects) || detail.shapes.some((shape) => covers(shape, text, effects));
    return { position: index + 1, text, effects, isAsking };
  });
  return [...segments.filter((each) => each.isAsking), ...segments.filter((each) => !each.isAsking)];
}
