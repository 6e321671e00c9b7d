type Cell = string | number | null;

function cell(value: Cell): string {
  if (value === null) return "";
  const text = String(value);
  // A leading sign or formula mark would run in a spreadsheet; a quote mark in front keeps it text.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows as CSV with a header; unknown values are empty cells. */
export function csv(header: string[], rows: Cell[][]): string {
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
