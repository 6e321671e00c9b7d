import { expect, test } from "vitest";
import { session } from "$lib/ipc/fake/worker";
import { hiddenCount, hiddenKinds, isNothing, matching } from "./sessions";

const sessions = [
  session({ key: "a-letter", client: "claude-code" }),
  session({ key: "b-tests", armed: { state: "off", source: "admin", at: null, asked: 0 } }),
];
const found = (text: string, state = "") => matching(sessions, text, state).map((each) => each.key);

test("conversations are found by client and key, and every word has to be there", () => {
  expect(found("")).toEqual(["a-letter", "b-tests"]);
  expect(found("CLAUDE")).toEqual(["a-letter"]);
  expect(found("codex tests")).toEqual(["b-tests"]);
  expect(found("claude tests")).toEqual([]);
});

test("a state of the worker narrows what is found", () => {
  expect(found("", "off")).toEqual(["b-tests"]);
  expect(found("letter", "off")).toEqual([]);
});

test("kinds of hidden values come with their counts, the most frequent first and none without a value", () => {
  const of = session({ placeholders: { EMAIL: 1, PERSON: 4, CARD: 0, ADDRESS: 1 } });
  expect(hiddenKinds(of).map((each) => `${each.kind} ${each.count}`)).toEqual(["PERSON 4", "ADDRESS 1", "EMAIL 1"]);
  expect(hiddenCount(of)).toBe(6);
});

test("a removal of nothing is one, whatever is in use", () => {
  const nothing = { sessions: 0, placeholders: 0, artifacts: 0, bytes: 0, live: 3 };
  expect(isNothing(nothing)).toBe(true);
  expect(isNothing({ ...nothing, artifacts: 1 })).toBe(false);
});
