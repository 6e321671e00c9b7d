import { expect, test } from "vitest";
import { model, price } from "$lib/ipc/fake/samples";
import { matching, otherPrices, unpriced } from "./models";

test("a model without a price is counted, one that costs nothing is not", () => {
  const free = price({ input_pico_usd: "0", output_pico_usd: "0" });
  expect(unpriced([model(), model({ price: null }), model({ price: free })])).toBe(1);
});

test("models are found by either name and by what they can do", () => {
  const models = [model(), model({ model: "example/painter", display_name: null, capabilities: ["image"] })];
  expect(matching(models, " PAINT ").map((each) => each.model)).toEqual(["example/painter"]);
  expect(matching(models, "image")).toHaveLength(1);
  expect(matching(models, "Reasoner 2")).toHaveLength(1);
  expect(matching(models, "")).toHaveLength(2);
});

test("prices that differ from the plain one are listed, absent ones are not", () => {
  expect(otherPrices(price({ cached_input_pico_usd: null }))).toEqual([]);
  const tier = { above_input_tokens: 200_000, input_pico_usd: "2500000", output_pico_usd: "15000000" };
  expect(
    otherPrices(price({ cache_write_pico_usd: "1500000", tiers: [{ ...tier, cached_input_pico_usd: null }] })),
  ).toEqual(["cached in $0.125", "written to cache $1.50", "above 200,000 in: $2.50 / $15.00"]);
});
