import { expect, test } from "vitest";
import { labelStep, peak, stack } from "./stack";

test("values lie on top of each other, zeros and gaps take no room", () => {
  expect(stack({ label: "a", values: [2, null, 0, 3] })).toEqual([
    { series: 0, from: 0, to: 2 },
    { series: 3, from: 2, to: 5 },
  ]);
});

test("the peak is the tallest stack", () => {
  expect(
    peak([
      { label: "a", values: [1, 2] },
      { label: "b", values: [null, 1] },
    ]),
  ).toBe(3);
  expect(peak([])).toBe(0);
});

test("labels are thinned until they fit", () => {
  expect([labelStep(7, 8), labelStep(30, 8)]).toEqual([1, 4]);
});
