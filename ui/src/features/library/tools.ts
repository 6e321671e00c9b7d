import type { LibraryTool } from "$lib/ipc/generated/protocol";

/** States of a tool, in the order in which they matter. */
export const STATUSES = ["draft", "active", "disabled", "archived"] as const;

/** What a state means. */
export function statusTone(status: string): "neutral" | "good" | "attention" {
  return status === "active" ? "good" : status === "draft" ? "attention" : "neutral";
}

/** Tools of a state whose name, words or triggers hold every word of the text. */
export function matching(tools: LibraryTool[], text: string, status: string): LibraryTool[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    if (status !== "" && tool.status !== status) return false;
    const known = [tool.slug, tool.name, tool.description, tool.task, ...tool.tags, ...tool.triggers];
    const haystack = known.join("\n").toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}

/** A share as a whole percentage. */
export function percent(share: number): string {
  return `${Math.round(Math.min(1, Math.max(0, share)) * 100)} %`;
}

/** The text of a recipe in pieces, the places for the input apart. */
export function pieces(template: string): { text: string; isInput: boolean }[] {
  return template
    .split(/(\{input\})/)
    .filter((piece) => piece !== "")
    .map((piece) => ({ text: piece, isInput: piece === "{input}" }));
}

/** Whether a tool was made by hand, so that no run speaks for it. */
export function isWithoutEvidence(tool: LibraryTool): boolean {
  return tool.evidence_count === 0 && tool.pattern_signature === null;
}
