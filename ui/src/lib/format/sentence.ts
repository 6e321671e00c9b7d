/** A message of the host, which has no capital and no full stop, as a sentence. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  // A message may begin with a name in backticks, which keeps its letters.
  const start = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.?!…:`]$/.test(start) ? start : `${start}.`;
}
