import { expect, test } from "vitest";
import { failed } from "../ipc/fake/fake-backend";
import { Resource } from "./resource.svelte";

test("the first read goes from loading to ready", async () => {
  const resource = new Resource(async () => 1);
  expect(resource.face).toBe("loading");
  await resource.refresh();
  expect([resource.face, resource.value]).toEqual(["ready", 1]);
});

test("a failure before any value is an error, a forbidden one is denied", async () => {
  let code: "internal" | "forbidden" = "internal";
  const resource = new Resource<number>(async () => {
    throw failed(code, "no");
  });
  await resource.refresh();
  expect(resource.face).toBe("error");
  code = "forbidden";
  await resource.refresh();
  expect(resource.face).toBe("denied");
});

test("a failure after a value keeps the value and its age", async () => {
  let isBroken = false;
  const resource = new Resource(async () => {
    if (isBroken) throw failed("host_unreachable", "gone");
    return 1;
  });
  await resource.refresh();
  const loadedAt = resource.loadedAt;
  isBroken = true;
  await resource.refresh();
  expect([resource.face, resource.value, resource.loadedAt]).toEqual(["stale", 1, loadedAt]);
  isBroken = false;
  await resource.refresh();
  expect(resource.face).toBe("ready");
});

test("a burst of refreshes costs two reads", async () => {
  let reads = 0;
  const resource = new Resource(async () => (reads += 1));
  await Promise.all(Array.from({ length: 10 }, () => resource.refresh()));
  expect(reads).toBe(2);
  expect(resource.value).toBe(2);
});
