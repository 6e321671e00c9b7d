// Pictures of the views for a person to look at: `node tests/browser/shots.mjs [name…]`, into `shots/` or the
// folder that LWA_SHOTS names. Needs `npm run build:fake` before.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { serve } from "./serve.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wide = { width: 1200, height: 860 };
const small = { width: 560, height: 680 };
const narrow = { width: 320, height: 700 };

const SHOW = "[data-testid^=plan-row-] .buttons button";
const TEXTS = "[data-testid=worker-show-texts]";
const REMOVE = "[data-testid=worker-remove-session]";
const BACKFILL = "[data-testid=savings-backfill]";
const HOW = "[data-testid=savings-how] summary";
const REVIEW = "[data-testid=consensus-review] summary";

/** Name, page, size, address in the page, and what to press before the picture is taken. */
const SHOTS = [
  ["overview", "index.html", wide, "#/overview"],
  ["overview-empty", "index.html?scenario=empty", wide, "#/overview"],
  ["overview-dark", "index.html?theme=dark", wide, "#/overview"],
  ["overview-stale", "index.html?scenario=stale", wide, "#/overview"],
  ["overview-320", "index.html", narrow, "#/overview"],
  ["waiting", "index.html", wide, "#/waiting"],
  ["plans", "index.html", wide, "#/plans"],
  ["plans-consensus", "index.html", wide, `#/plans?plan=${"aacc".padEnd(24, "0")}`, [SHOW, REVIEW]],
  ["plans-image", "index.html", wide, `#/plans?plan=${"aabb".padEnd(24, "0")}`, [SHOW]],
  ["plans-single", "index.html?theme=dark", wide, `#/plans?plan=${"88bb".padEnd(24, "0")}`, [SHOW]],
  ["plans-320", "index.html", narrow, `#/plans?plan=${"aacc".padEnd(24, "0")}`, [SHOW, REVIEW]],
  ["ledger", "index.html", wide, "#/ledger"],
  ["ledger-320", "index.html", narrow, "#/ledger"],
  ["providers", "index.html", wide, "#/providers"],
  ["providers-dark", "index.html?theme=dark", wide, "#/providers"],
  [
    "providers-read",
    "index.html",
    wide,
    "#/providers",
    ["[data-testid=lists-refresh]", "[data-testid=quotas-refresh]"],
  ],
  ["providers-models", "index.html", wide, "#/providers", ["[data-testid=models-openrouter] summary"]],
  ["providers-320", "index.html", narrow, "#/providers"],
  ["providers-tiers", "index.html", wide, "#/providers?tab=tiers"],
  ["providers-first", "index.html?scenario=empty", wide, ""],
  ["library", "index.html", wide, "#/library"],
  ["library-empty", "index.html?scenario=empty", wide, "#/library"],
  ["library-patterns", "index.html", wide, "#/library?tab=patterns"],
  ["library-tool", "index.html", wide, "#/library?tool=release-notes"],
  ["library-script-dark", "index.html?theme=dark", wide, "#/library?tool=count-lines", ["[data-testid=tool-approve]"]],
  ["library-320", "index.html", narrow, "#/library?tool=release-notes"],
  ["worker", "index.html", wide, "#/worker"],
  ["worker-dark", "index.html?theme=dark", wide, "#/worker"],
  ["worker-320", "index.html", narrow, "#/worker"],
  ["worker-empty", "index.html?scenario=empty", wide, "#/worker"],
  ["worker-session", "index.html", wide, "#/worker?session=0199c2f4-thread"],
  ["worker-session-dark", "index.html?theme=dark", wide, "#/worker?session=7a5e-letter", [TEXTS]],
  ["worker-session-320", "index.html", narrow, "#/worker?session=0199c2f4-thread", [TEXTS]],
  ["worker-remove", "index.html", wide, "#/worker?session=7a5e-letter", [REMOVE]],
  ["worker-remove-320", "index.html", narrow, "#/worker?session=7a5e-letter", [REMOVE]],
  ["worker-purge", "index.html", wide, "#/worker", ["[data-testid=purge-count]"]],
  ["worker-commands", "index.html", wide, "#/worker?tab=commands"],
  ["worker-commands-320", "index.html?theme=dark", narrow, "#/worker?tab=commands", ["[data-testid=policy-run]"]],
  ["savings", "index.html", wide, "#/savings"],
  ["savings-dark", "index.html?theme=dark", wide, "#/savings?by=client", [BACKFILL, HOW]],
  ["savings-session", "index.html", wide, "#/savings?by=session&session=7a5e-letter"],
  ["savings-320", "index.html", narrow, "#/savings?session=7a5e-letter"],
  ["savings-range", "index.html", wide, "#/savings?by=client&session=7a5e-letter&range=7"],
  ["savings-range-320", "index.html", narrow, "#/savings?range=24h&session=7a5e-letter"],
  ["savings-quiet", "index.html?scenario=quiet", wide, "#/savings?range=30"],
  ["savings-quiet-320", "index.html?scenario=quiet&theme=dark", narrow, "#/savings?range=7"],
  ["savings-empty", "index.html?scenario=empty", wide, "#/savings"],
  ["audit", "index.html", wide, "#/audit"],
  ["settings", "index.html", wide, "#/settings"],
  ["error", "index.html?scenario=error", wide, "#/overview"],
  ["approval-spend", "approval.html", small, ""],
  ["approval-spend-dark", "approval.html?theme=dark", small, ""],
  ["approval-policy", "approval.html?kind=policy_change", small, ""],
  ["approval-consent", "approval.html?kind=session_consent", small, ""],
  ["approval-script", "approval.html?kind=script", small, ""],
  ["approval-script-dark", "approval.html?kind=script&theme=dark", small, ""],
  ["approval-script-small", "approval.html?kind=script", { width: 520, height: 420 }, ""],
  ["approval-script-320", "approval.html?kind=script", narrow, ""],
  ["approval-turn-on", "approval.html?kind=turn_on", small, ""],
  ["approval-command", "approval.html?kind=command", small, ""],
  ["approval-command-dark", "approval.html?kind=command&theme=dark", small, ""],
  ["approval-command-320", "approval.html?kind=command", narrow, ""],
  ["approval-disclosure", "approval.html?kind=disclosure", small, ""],
  ["approval-small", "approval.html", { width: 520, height: 420 }, ""],
  ["approval-320", "approval.html", narrow, ""],
  ["approval-lost", "approval.html?scenario=lost", small, ""],
  ["approval-empty", "approval.html?scenario=empty", small, ""],
];

const wanted = process.argv.slice(2);
const browser = await launch();
if (!browser) process.exit(0);
const site = await serve(`${root}dist-fake`);
const folder = process.env.LWA_SHOTS ?? `${root}shots`;
mkdirSync(folder, { recursive: true });
for (const [name, path, viewport, hash, presses = []] of SHOTS) {
  if (wanted.length > 0 && !wanted.some((each) => name.startsWith(each))) continue;
  const page = await browser.newPage({ viewport });
  await page.goto(`${site.origin}/${path}${hash}`);
  await page.waitForTimeout(900);
  for (const press of presses) await page.click(press);
  if (presses.length > 0) await page.waitForTimeout(300);
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: viewport !== small });
  await page.close();
}
await browser.close();
site.close();
