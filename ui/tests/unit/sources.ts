import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** The project's own source files, without generated ones and tests. */
export function sources(ending: RegExp): { path: string; text: string }[] {
  return readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((path) => join("src", path))
    .filter((path) => ending.test(path) && !path.endsWith(".test.ts") && !path.includes("generated"))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

/** The source files that one of them needs, itself included; what a build of the mode `fake` adds is left out. */
export function reachedFrom(entry: string): { path: string; text: string }[] {
  const found = new Map<string, string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    const text = readFileSync(path, "utf8");
    found.set(path, text);
    for (const [, name = ""] of text.matchAll(/(?:import|from)\s*\(?["']([^"']+)["']/g)) {
      if (!/^[.$]/.test(name) || /\bfake\b|\.(json|css)$/.test(name)) continue;
      const at = name.startsWith("$") ? join("src", name.slice(1)) : join(dirname(path), name);
      const file = [at, `${at}.ts`, `${at}.svelte.ts`].find((each) => /\.(ts|svelte)$/.test(each) && existsSync(each));
      if (file) open.push(file);
    }
  }
  return [...found].map(([path, text]) => ({ path, text }));
}
