import { beforeEach, expect, test } from "vitest";
import type { MediaFileView } from "$lib/ipc/generated/protocol";
import { failed, type FakeBackend } from "$lib/ipc/fake/fake-backend";
import { backendOver, busyWorld } from "$lib/ipc/fake/world";
import { PREVIEW_BYTES, PlanResults, canPreview, pictureKey } from "./plan-results.svelte";

let backend: FakeBackend;
let results: PlanResults;

function file(changes: Partial<MediaFileView> = {}): MediaFileView {
  return { index: 0, path: "/generated/0.png", mime_type: "image/png", bytes: 1000, ...changes };
}

beforeEach(() => {
  backend = backendOver(busyWorld());
  results = new PlanResults(backend);
});

test.each([
  ["image/png", PREVIEW_BYTES, true],
  ["image/png", PREVIEW_BYTES + 1, false],
  ["image/svg+xml", 10, false],
  ["video/mp4", 10, false],
])("a file of %s with %i bytes is previewed: %s", (mime_type, bytes, isShown) => {
  expect(canPreview(file({ mime_type, bytes }))).toBe(isShown);
});

test("a picture is read once and becomes an address that holds its bytes", async () => {
  backend.handlers["plan/media"] = () => ({ mime_type: "image/png", base64: "AAAA" });
  await Promise.all([results.preview("p", file()), results.preview("p", file())]);
  await results.preview("p", file());
  expect(backend.callsOf("plan/media")).toEqual([{ plan_id: "p", index: 0 }]);
  expect(results.pictures[pictureKey("p", 0)]).toBe("data:image/png;base64,AAAA");
});

test("a file that is not previewed is not read", async () => {
  await results.preview("p", file({ bytes: PREVIEW_BYTES + 1 }));
  await results.preview("p", file({ mime_type: "video/mp4" }));
  expect(backend.callsOf("plan/media")).toEqual([]);
});

test("what arrives decides, not what was announced", async () => {
  backend.handlers["plan/media"] = () => ({ mime_type: "image/svg+xml", base64: "AAAA" });
  await results.preview("p", file());
  expect(results.pictures).toEqual({});
  expect(results.failures[pictureKey("p", 0)]?.message).toContain("image/svg+xml");
});

test("a picture that is gone is a failure of the picture and not of the plan", async () => {
  backend.handlers["plan/media"] = () => {
    throw failed("not_found", "the file is gone");
  };
  await results.preview("p", file());
  expect(Object.keys(results.failures)).toEqual([pictureKey("p", 0)]);
});
