import { ESLint } from "eslint";
import { expect, test, vi } from "vitest";
import { sources } from "./sources";

// The linter takes its time to start, more so beside other work.
vi.setConfig({ testTimeout: 60_000 });

async function complaints(path: string, code: string): Promise<string[]> {
  const [result] = await new ESLint().lintText(code, { filePath: path });
  return (result?.messages ?? []).map((message) => message.ruleId ?? "").filter((id) => id.startsWith("no-restricted"));
}

test.each([
  ["src/shared/a.ts", 'export * from "$lib/format/money";'],
  ["src/shared/chart/a.ts", 'export * from "../../features/ledger/table";'],
  ["src/features/ledger/a.ts", 'export * from "$views/LedgerView.svelte";'],
  ["src/lib/format/a.ts", 'export * from "$shared/chart/stack";'],
  ["src/views/a.ts", 'export * from "../entries/main/main";'],
])("%s may not reach outside its layer", async (path, code) => {
  expect(await complaints(path, code)).toEqual(["no-restricted-imports"]);
});

test.each([
  ["src/features/ledger/a.ts", 'export * from "$lib/format/money";'],
  ["src/views/a.ts", 'export * from "$features/ledger/table";'],
])("%s may use what lies below it", async (path, code) => {
  expect(await complaints(path, code)).toEqual([]);
});

test("nothing but lib/ipc could fetch, and lint says so", async () => {
  expect(await complaints("src/features/ledger/a.ts", 'export const a = () => fetch("/x");')).toEqual([
    "no-restricted-globals",
  ]);
  const reaching = sources(/\.(svelte|ts)$/).filter(({ text }) =>
    /\bfetch\(|XMLHttpRequest|WebSocket|EventSource/.test(text),
  );
  expect(reaching.map(({ path }) => path)).toEqual([]);
});

test("components stay within 150 lines, other files within 450", () => {
  const long = sources(/\.(svelte|ts|css)$/).filter(({ path, text }) => {
    return text.split("\n").length > (path.endsWith(".svelte") ? 150 : 450);
  });
  expect(long.map(({ path, text }) => `${path}: ${text.split("\n").length}`)).toEqual([]);
});

test("framed tables, their pages and what narrows them are drawn by the shared parts alone", () => {
  const own = sources(/\.svelte$/).filter(
    ({ path, text }) =>
      !path.startsWith("src/shared") && (/role="search"/.test(text) || /\.scroll \{[^}]*border: 1px/.test(text)),
  );
  expect(own.map(({ path }) => path)).toEqual([]);
});
