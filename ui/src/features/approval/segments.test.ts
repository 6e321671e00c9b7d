import { expect, test } from "vitest";
import { commandDetail } from "$lib/ipc/fake/worker-questions";
import { segmentsOf } from "./segments";

const shown = (changes: Parameters<typeof commandDetail>[0]) =>
  segmentsOf(commandDetail(changes)).map((each) => [each.position, each.text, each.isAsking]);

test("the commands of the explanation are taken apart, and neither its sentence nor its notes are one", () => {
  const segments = [
    "`a b` is not on the allow list.",
    "  a b   [uses the network; writes /x]",
    "  ls",
    "Note: look out",
  ];
  expect(segmentsOf(commandDetail({ segments, reason: "`a b` is not on the allow list.", shapes: [] }))).toEqual([
    { position: 1, text: "a b", effects: "uses the network; writes /x", isAsking: true },
    { position: 2, text: "ls", effects: "", isAsking: false },
  ]);
});

test("what made it ask stands first and keeps its place in the line", () => {
  const segments = ["Why.", "  cd build", "  make all", "  rm -r old", "  ls"];
  expect(shown({ segments, reason: "`rm -r old` is not on the allow list.", shapes: ["rm -r old", "make*"] })).toEqual([
    [2, "make all", true],
    [3, "rm -r old", true],
    [1, "cd build", false],
    [4, "ls", false],
  ]);
});

test("a write that is not on the list marks the command that writes", () => {
  const segments = ["Why.", "  ls", "  cargo test   [writes /home/ada/harbour/out.txt]"];
  const reason = "It writes `/home/ada/harbour/out.txt`, and that write is not on the allow list.";
  expect(shown({ segments, reason, shapes: [] })[0]).toEqual([2, "cargo test", true]);
  for (const shape of ["> out.txt", ">> out.txt", ">> /home/ada/harbour/out.txt"])
    expect(shown({ segments, reason: "Why.", shapes: [shape] })[0]).toEqual([2, "cargo test", true]);
});

test("a long command is known by its beginning, where the reason cuts it", () => {
  const long = `tool ${"x".repeat(300)}`;
  const reason = `\`${long.slice(0, 159)}…\` is not on the allow list.`;
  expect(shown({ segments: ["Why.", "  ls", `  ${long}`], reason, shapes: [] })[0]).toEqual([2, long, true]);
});

test("where the host names none, the order of the line stays and nothing is marked", () => {
  const reason = "its folder is outside the client's project";
  expect(shown({ segments: ["Why.", "  ls", "  cat a"], reason, shapes: [] })).toEqual([
    [1, "ls", false],
    [2, "cat a", false],
  ]);
});

test("commands one a line without an explanation are taken as they are", () => {
  expect(shown({ segments: ["ls", "cat a"], reason: "", shapes: [] })).toEqual([
    [1, "ls", false],
    [2, "cat a", false],
  ]);
});
