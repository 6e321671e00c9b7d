// What a client says of itself can carry marks that reorder or hide text; a person has to see them.
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function written(mark: string): string {
  const code = mark.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** The text with control, format and direction marks written out as `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, written);
}

/** The same for a text of several lines, whose line ends and tabs stay what they are. */
export function visibleLines(text: string): string {
  return text.replace(HIDDEN, (mark) => (mark === "\n" || mark === "\t" ? mark : written(mark)));
}
