const PICO_PER_MICRO = 1_000_000n;

/** Adds amounts of pico-dollars, which can exceed what a number holds exactly. */
export function sumMoney(amounts: Iterable<string>): string {
  let sum = 0n;
  for (const amount of amounts) sum += BigInt(amount);
  return sum.toString();
}

/**
 * Dollars with the digits that carry information: at least two decimals, at most six. Prints as the
 * host's own texts do, so that a figure reads the same in a window, a tray and a terminal.
 */
export function money(picoUsd: string): string {
  const pico = BigInt(picoUsd);
  if (pico < 0n) return `-${money((-pico).toString())}`;
  if (pico > 0n && pico < PICO_PER_MICRO) return "<$0.000001";
  const micro = (pico + PICO_PER_MICRO / 2n) / PICO_PER_MICRO;
  let decimals = (micro % 1_000_000n).toString().padStart(6, "0");
  while (decimals.length > 2 && decimals.endsWith("0")) decimals = decimals.slice(0, -1);
  return `$${(micro / 1_000_000n).toLocaleString("en-US")}.${decimals}`;
}

/** Dollars to the cent, for a headline; below a cent every digit that counts. */
export function roundMoney(picoUsd: string): string {
  const pico = BigInt(picoUsd);
  if (pico < 0n) return `-${roundMoney((-pico).toString())}`;
  const cent = 10_000_000_000n;
  return pico < cent ? money(picoUsd) : money((((pico + cent / 2n) / cent) * cent).toString());
}

/** Dollars as a number, for the height of a mark and nothing else. */
export function dollars(picoUsd: string): number {
  return Number(BigInt(picoUsd) / PICO_PER_MICRO) / 1e6;
}

/** The price of a million tokens, from the price of one. */
export function perMillion(picoUsd: string): string {
  return money((BigInt(picoUsd) * 1_000_000n).toString());
}

/** The share of a cap that is used, 0 to 1; null when the cap is nothing. */
export function share(used: string, cap: string): number | null {
  const limit = BigInt(cap);
  if (limit <= 0n) return null;
  return Math.min(1, Number((BigInt(used) * 10_000n) / limit) / 10_000);
}
