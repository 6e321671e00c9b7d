// Pictures of the views for a person to look at: `node tests/browser/shots.mjs [name…]`, into `shots/`.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { serve } from "./serve.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wide = { width: 1200, height: 860 };
const small = { width: 560, height: 680 };
const narrow = { width: 320, height: 700 };

const SHOTS = [
  ["overview", "index.html", wide, "#/overview"],
  ["overview-empty", "index.html?scenario=empty", wide, "#/overview"],
  ["overview-dark", "index.html?theme=dark", wide, "#/overview"],
  ["overview-stale", "index.html?scenario=stale", wide, "#/overview"],
  ["overview-320", "index.html", narrow, "#/overview"],
  ["waiting", "index.html", wide, "#/waiting"],
  ["plans", "index.html", wide, "#/plans"],
  ["ledger", "index.html", wide, "#/ledger"],
  ["ledger-320", "index.html", narrow, "#/ledger"],
  ["providers", "index.html", wide, "#/providers"],
  ["providers-dark", "index.html?theme=dark", wide, "#/providers"],
  ["providers-first", "index.html?scenario=empty", wide, ""],
  ["audit", "index.html", wide, "#/audit"],
  ["settings", "index.html", wide, "#/settings"],
  ["error", "index.html?scenario=error", wide, "#/overview"],
  ["approval-spend", "approval.html", small, ""],
  ["approval-spend-dark", "approval.html?theme=dark", small, ""],
  ["approval-policy", "approval.html?kind=policy_change", small, ""],
  ["approval-small", "approval.html", { width: 520, height: 420 }, ""],
  ["approval-320", "approval.html", narrow, ""],
  ["approval-lost", "approval.html?scenario=lost", small, ""],
  ["approval-empty", "approval.html?scenario=empty", small, ""],
];

const wanted = process.argv.slice(2);
const browser = await launch();
if (!browser) process.exit(0);
const site = await serve(`${root}dist-fake`);
mkdirSync(`${root}shots`, { recursive: true });
for (const [name, path, viewport, hash] of SHOTS) {
  if (wanted.length > 0 && !wanted.some((each) => name.startsWith(each))) continue;
  const page = await browser.newPage({ viewport });
  await page.goto(`${site.origin}/${path}${hash}`);
  await page.waitForTimeout(900);
  await page.screenshot({ path: `${root}shots/${name}.png`, fullPage: viewport !== small });
  await page.close();
}
await browser.close();
site.close();
