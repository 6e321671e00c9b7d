import type { ModelView, Price } from "$lib/ipc/generated/protocol";
import { perMillion } from "$lib/format/money";
import { exact } from "$lib/format/count";
import { t } from "$lib/i18n/text";

/** How many models have no known price. Unknown is counted as unknown, never as nothing. */
export function unpriced(models: ModelView[]): number {
  return models.filter((model) => model.price === null).length;
}

/** Models whose name or capability holds the text. */
export function matching(models: ModelView[], text: string): ModelView[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return models;
  return models.filter((model) =>
    [model.model, model.display_name ?? "", ...model.capabilities].some((each) => each.toLowerCase().includes(wanted)),
  );
}

/** Prices that differ from the plain one: cached input, writing to the cache, larger prompts. */
export function otherPrices(price: Price): string[] {
  const lines: string[] = [];
  const { cached_input_pico_usd: cached, cache_write_pico_usd: write } = price;
  if (cached !== null) lines.push(t("price.cached", { price: perMillion(cached) }));
  if (write !== null) lines.push(t("price.cache_write", { price: perMillion(write) }));
  for (const tier of price.tiers) {
    const [input, output] = [perMillion(tier.input_pico_usd), perMillion(tier.output_pico_usd)];
    lines.push(t("price.above", { tokens: exact(tier.above_input_tokens), input, output }));
  }
  return lines;
}
