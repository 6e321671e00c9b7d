const plain = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** Every digit, grouped. */
export function exact(count: number): string {
  return plain.format(count);
}

/** Short from ten thousand on: `12.4K`. */
export function short(count: number): string {
  return Math.abs(count) < 10_000 ? plain.format(count) : compact.format(count);
}

/** A duration of a call. */
export function latency(ms: number): string {
  if (ms < 1000) return `${plain.format(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A length in bytes, short from a thousand on: `2.4 MB`. */
export function bytes(count: number): string {
  const steps = [
    ["MB", 1e6],
    ["kB", 1e3],
  ] as const;
  const [unit, size] = steps.find(([, size]) => count >= size) ?? ["bytes", 1];
  return `${size === 1 ? plain.format(count) : (count / size).toFixed(1)} ${unit}`;
}
