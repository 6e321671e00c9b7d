import { expect, test } from "vitest";
import { session } from "$lib/ipc/fake/worker";
import { clients, hiddenCount, hiddenKinds, isNothing, matching, sums } from "./sessions";

const sessions = [
  session({ key: "a-letter", client: "claude-code" }),
  session({ key: "b-tests", armed: { state: "off", source: "admin", at: null, asked: 0 } }),
];
const NOW = Date.UTC(2026, 10, 29, 12);
const any = { text: "", client: "", state: "", used: "" };
const found = (text: string, state = "") => matching(sessions, { ...any, text, state }, NOW).map((each) => each.key);

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

test("a client and the days since the last use narrow together, and what is in use counts as used", () => {
  const at = (key: string, last_seen: string, is_live = false) => session({ key, client: key, last_seen, is_live });
  const used = [
    at("today", "2026-11-29T00:00:01Z"),
    at("week", "2026-11-23T00:00:00Z"),
    at("older", "2026-11-22T23:59:59Z"),
    at("open", "2026-01-01T00:00:00Z", true),
  ];
  const within = (days: string, client = "") =>
    matching(used, { ...any, used: days, client }, NOW).map((each) => each.key);
  expect(within("1")).toEqual(["today", "open"]);
  expect(within("7")).toEqual(["today", "week", "open"]);
  expect(within("")).toHaveLength(4);
  // A range that there is none of hides nothing.
  expect(within("9")).toHaveLength(4);
  expect(within("7", "week")).toEqual(["week"]);
});

test("clients are those that occur, and the one that is filtered by", () => {
  expect(clients(sessions, "")).toEqual(["claude-code", "codex-mcp-client"]);
  expect(clients(sessions, "gone")).toContain("gone");
});

test("sums of conversations have no floor", () => {
  const loss = session({
    turns: 2,
    tokens_saved: { ...session().tokens_saved, gathered_tokens: 100, returned_tokens: 400, avoided_input: 0 },
  });
  expect(sums([loss])).toEqual({ turns: 2, input: 0, net: -300 });
  expect(sums([session(), loss])).toEqual({ turns: 66, input: 394_060, net: 393_760 });
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
