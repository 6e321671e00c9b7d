// What a client says of itself can carry marks that reorder or hide text; a person has to see them.
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The text with control, format and direction marks written out as `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (mark) => {
    const code = mark.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
