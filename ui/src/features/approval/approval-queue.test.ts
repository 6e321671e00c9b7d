import { expect, test } from "vitest";
import { approval } from "$lib/ipc/fake/samples";
import { ApprovalQueue } from "./approval-queue.svelte";

const [first, second, third] = ["1", "2", "3"].map((id) => approval({ id })) as [
  ReturnType<typeof approval>,
  ReturnType<typeof approval>,
  ReturnType<typeof approval>,
];

function queueOf(...items: ReturnType<typeof approval>[]): ApprovalQueue {
  const queue = new ApprovalQueue();
  queue.replace(items);
  return queue;
}

test("UX-19 a newer question never takes the place of the shown one", () => {
  const queue = queueOf(first);
  queue.put(second);
  queue.replace([first, second, third]);
  expect(queue.shownId).toBe("1");
  expect(queue.items.map((item) => item.id)).toEqual(["1", "2", "3"]);
});

test("UX-20 two questions that open at once both stay", () => {
  const queue = queueOf();
  queue.put(first);
  queue.put(second);
  queue.put({ ...first, count: 2 });
  expect(queue.items.map((item) => [item.id, item.count])).toEqual([
    ["1", 2],
    ["2", 1],
  ]);
});

test("UX-23 a question that ends while it is shown stays with its ending", () => {
  const queue = queueOf(first, second);
  queue.end("1", { outcome: "withdrawn", reason: "the client left" });
  queue.replace([second]);
  expect(queue.shown?.id).toBe("1");
  expect(queue.ending).toEqual({ outcome: "withdrawn", reason: "the client left" });
});

test("a question that ends unseen leaves the queue", () => {
  const queue = queueOf(first, second);
  queue.end("2", { outcome: "timed_out", reason: null });
  expect(queue.items.map((item) => item.id)).toEqual(["1"]);
});

test("leaving the shown question shows the next one, and after the last one the first", () => {
  const queue = queueOf(first, second, third);
  queue.step(1);
  queue.leaveShown();
  expect(queue.shownId).toBe("3");
  queue.leaveShown();
  expect(queue.shownId).toBe("1");
  queue.leaveShown();
  expect(queue.shown).toBeNull();
});

test("stepping away from an ended question leaves it behind", () => {
  const queue = queueOf(first, second);
  queue.end("1", { outcome: "withdrawn", reason: null });
  queue.step(1);
  expect(queue.items.map((item) => item.id)).toEqual(["2"]);
  expect(queue.ending).toBeNull();
});

test("the list tells when the shown question is gone from it", () => {
  const queue = queueOf(first, second);
  expect(queue.replace([first])).toBe(false);
  expect(queue.replace([second])).toBe(true);
  expect(queue.shownId).toBe("1");
});

test("an ended question that was never open does not enter the queue", () => {
  const queue = queueOf(first);
  queue.put({ ...second, outcome: "denied" });
  expect(queue.items).toHaveLength(1);
});
