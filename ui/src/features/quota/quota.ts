import { exact } from "$lib/format/count";
import { money } from "$lib/format/money";
import type { QuotaView } from "$lib/ipc/generated/protocol";
import { t, word } from "$lib/i18n/text";

/** A reading older than this is shown as old. */
const OLD_MS = 86_400_000;

export function windowText(quota: QuotaView): string {
  return word("quota_window", quota.window);
}

export function confidenceText(quota: QuotaView): string {
  return word("confidence", quota.confidence);
}

/** An amount with its unit, in the form people use for it. */
export function amount(value: string, unit: string): string {
  if (!/^-?\d+$/.test(value)) return `${value} ${unit}`;
  if (unit === "pico-dollars") return value.startsWith("-") ? `−${money(value.slice(1))}` : money(value);
  if (unit === "thousandths of a credit") return t("quota.credits", { count: exact(Number(value) / 1000) });
  return `${BigInt(value).toLocaleString("en")} ${unit}`;
}

/** What is left of how much; what was not said is said not to be known, and is never zero. */
export function leftText(quota: QuotaView): string {
  const { limit, remaining, unit } = quota;
  if (remaining !== null && limit !== null)
    return t("quota.left_of", { left: bare(remaining, unit), limit: amount(limit, unit) });
  if (remaining !== null) return t("quota.left", { left: amount(remaining, unit) });
  if (limit !== null) return t("quota.limit_only", { limit: amount(limit, unit) });
  return t("quota.not_said");
}

/** The number without its unit, where the limit beside it names the unit. */
function bare(value: string, unit: string): string {
  if (unit === "pico-dollars" || !/^-?\d+$/.test(value)) return amount(value, unit);
  const whole = BigInt(value);
  return unit === "thousandths of a credit" ? exact(Number(whole) / 1000) : whole.toLocaleString("en");
}

/** The used part, 0 to 1; null where it cannot be told. */
export function usedPart(quota: QuotaView): number | null {
  const { limit, remaining } = quota;
  if (limit === null || remaining === null) return null;
  const [all, left] = [Number(limit), Number(remaining)];
  if (!Number.isFinite(all) || !Number.isFinite(left) || all <= 0) return null;
  return Math.min(1, Math.max(0, 1 - left / all));
}

/** Whether the reading says little about the present. */
export function isOld(quota: QuotaView, now: number): boolean {
  return now - new Date(quota.observed_at).getTime() > OLD_MS;
}

/** Whether the window it was read in is over. */
export function isOver(quota: QuotaView, now: number): boolean {
  return quota.resets_at !== null && new Date(quota.resets_at).getTime() <= now;
}

/** Quotas by provider, in the order in which they were listed. */
export function byProvider(quotas: QuotaView[]): { provider: string; quotas: QuotaView[] }[] {
  const names = [...new Set(quotas.map((quota) => quota.provider))];
  return names.map((provider) => ({ provider, quotas: quotas.filter((quota) => quota.provider === provider) }));
}
