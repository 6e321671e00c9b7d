import { expect, test } from "vitest";
import { tool } from "$lib/ipc/fake/library";
import { isWithoutEvidence, matching, percent, pieces } from "./tools";

const tools = [
  tool(),
  tool({
    slug: "triage",
    name: "Triage",
    description: "sorts what comes in",
    triggers: ["bug report"],
    tags: [],
    status: "draft",
  }),
];
const found = (text: string, status = "") => matching(tools, text, status).map((each) => each.slug);

test("tools are found by name, trigger, tag and task, and every word has to be there", () => {
  expect(found("")).toEqual(["release-notes", "triage"]);
  expect(found("BUG")).toEqual(["triage"]);
  expect(found("changelog")).toEqual(["release-notes"]);
  expect(found("document_editing release")).toEqual(["release-notes"]);
  expect(found("release bug")).toEqual([]);
});

test("a state narrows what is found", () => {
  expect(found("", "draft")).toEqual(["triage"]);
  expect(found("release", "draft")).toEqual([]);
});

test("a share is a whole percentage between nothing and all", () => {
  expect([percent(0.914), percent(0), percent(1.2), percent(-1)]).toEqual(["91 %", "0 %", "100 %", "0 %"]);
});

test("the places for the input stand apart and nothing of the text is lost", () => {
  const template = "{input} and {other} {input}\n";
  const parts = pieces(template);
  expect(parts.filter((each) => each.isInput)).toHaveLength(2);
  expect(parts.map((each) => each.text).join("")).toBe(template);
});

test("a tool that was made by hand has no evidence, one of a pattern has, even at nought", () => {
  expect(isWithoutEvidence(tool({ evidence_count: 0, pattern_signature: null }))).toBe(true);
  expect(isWithoutEvidence(tool({ evidence_count: 0 }))).toBe(false);
});
