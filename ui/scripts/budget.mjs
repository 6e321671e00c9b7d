// Holds the size of each entry (gzip, every file its page loads at the start) and that no test double is shipped.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const BUDGETS = { "approval.html": 45_000, "index.html": 160_000 };
const FORBIDDEN = ["FakeBackend", "the script has no answer to", "example/large-reasoner-2"];

/** Files that a page or a script names, as paths inside `dist`. */
function named(file) {
  const text = readFileSync(join(dist, file), "utf8");
  const pattern = file.endsWith(".html") ? /(?:src|href)="([^"]+)"/g : /(?:from|import)\s*["'](\.[^"']+)["']/g;
  return [...text.matchAll(pattern)].map((match) => normalize(join(dirname(file), match[1])));
}

/** Everything a page needs before it can run. */
function closure(entry) {
  const files = new Set();
  const open = [entry];
  while (open.length > 0) {
    const file = open.pop();
    if (files.has(file)) continue;
    files.add(file);
    if (/\.(html|js)$/.test(file)) open.push(...named(file));
  }
  return [...files];
}

let isOver = false;
for (const [entry, budget] of Object.entries(BUDGETS)) {
  const files = closure(entry);
  const size = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  const verdict = size <= budget ? "ok" : "OVER";
  isOver ||= size > budget;
  console.log(
    `${entry}: ${(size / 1000).toFixed(1)} kB gzip of ${budget / 1000} kB in ${files.length} files: ${verdict}`,
  );
}
for (const name of readdirSync(join(dist, "assets"))) {
  const text = readFileSync(join(dist, "assets", name), "utf8");
  for (const word of FORBIDDEN.filter((each) => text.includes(each))) {
    console.log(`assets/${name} contains \`${word}\`, which belongs to the scripted backend`);
    isOver = true;
  }
}
process.exit(isOver ? 1 : 0);
