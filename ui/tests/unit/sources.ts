import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The project's own source files, without generated ones and tests. */
export function sources(ending: RegExp): { path: string; text: string }[] {
  return readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((path) => join("src", path))
    .filter((path) => ending.test(path) && !path.endsWith(".test.ts") && !path.includes("generated"))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));
}
