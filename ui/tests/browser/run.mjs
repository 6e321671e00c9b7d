// The built views in a real browser under a strict content policy: no accessibility violation in any face,
// nothing blocked, no two-way scrolling at 320 px, no table cut at 1200 px, every control reached by Tab, visible focus.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { launch } from "./browser.mjs";
import { serve } from "./serve.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const VIEWS = [
  "overview",
  "waiting",
  "plans",
  "ledger",
  "providers",
  "library",
  "worker",
  "savings",
  "audit",
  "settings",
];
/** Views, and parts of views that have an address of their own. */
const PLACES = [
  ...VIEWS,
  "providers?tab=tiers",
  "library?tab=patterns",
  "library?tool=release-notes",
  "worker?tab=commands",
  "savings?by=session&session=7a5e-letter",
  "savings?by=client&session=7a5e-letter&range=24h",
];
const FACES = { data: "", empty: "empty", error: "error", denied: "denied", stale: "stale", loading: "loading" };
const MARK = { error: "face-error", denied: "face-denied", stale: "face-stale", loading: "face-loading" };
const WIDE = { width: 1200, height: 860 };

const failures = [];
let checks = 0;

function check(isGood, what) {
  checks += 1;
  if (!isGood) failures.push(what);
}

async function violations(page) {
  // Injected through the debugger, which the page's content policy does not govern.
  await page.evaluate(axe);
  const found = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
  return found.violations.map((each) => `${each.id} at ${each.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

async function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Tables that run past their frame: those that should fit, and those that no key can scroll. */
async function cut(page) {
  return page.$$eval("table", (tables) =>
    tables.flatMap((table) => {
      const frame = table.parentElement;
      const beyond = frame.scrollWidth - frame.clientWidth;
      const isReached = frame.tabIndex === 0 && getComputedStyle(frame).overflowX === "auto";
      const isMeantTo = table.dataset.width === "wide" && isReached;
      return beyond <= 0 || isMeantTo ? [] : [`${frame.getAttribute("aria-label")} by ${beyond} px`];
    }),
  );
}

/** Presses Tab through the page; names what got focus, and what of it shows no outline. */
async function walk(page, steps) {
  const seen = [];
  const invisible = [];
  for (let step = 0; step < steps; step += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const middle = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      return {
        name: element.getAttribute("data-testid") ?? element.textContent.trim().slice(0, 40),
        hasOutline: style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 2,
        isCovered: middle !== null && !element.contains(middle) && !middle.contains(element),
      };
    });
    if (at === null) break;
    seen.push(at.name);
    if (!at.hasOutline || at.isCovered) invisible.push(at.name);
  }
  return { seen, invisible };
}

async function withPage(browser, address, viewport, options, work) {
  const context = await browser.newContext({ viewport, ...options });
  const page = await context.newPage();
  const noise = [];
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && noise.push(`console: ${message.text()}`));
  await page.goto(address);
  await work(page);
  check(noise.length === 0, `${address}: ${noise.join("; ")}`);
  await context.close();
}

async function checkViews(browser, origin) {
  for (const view of PLACES) {
    for (const [face, scenario] of Object.entries(FACES)) {
      for (const colorScheme of face === "data" ? ["light", "dark"] : ["light"]) {
        const address = `${origin}/index.html?scenario=${scenario}#/${view}`;
        await withPage(browser, address, WIDE, { colorScheme }, async (page) => {
          await page.waitForSelector(MARK[face] ? `[data-testid=${MARK[face]}]` : "#view-title");
          const found = await violations(page);
          check(found.length === 0, `axe, ${view}, ${face}, ${colorScheme}: ${found.join("; ")}`);
        });
      }
    }
    await withPage(browser, `${origin}/index.html#/${view}`, { width: 320, height: 640 }, {}, async (page) => {
      await page.waitForSelector("#view-title");
      check((await overflow(page)) <= 0, `${view} scrolls sideways at 320 px by ${await overflow(page)} px`);
    });
    await withPage(browser, `${origin}/index.html#/${view}`, WIDE, {}, async (page) => {
      await page.waitForSelector("#view-title");
      const { seen, invisible } = await walk(page, 24);
      check(
        VIEWS.every((each) => seen.includes(`nav-${each}`)),
        `${view}: Tab does not reach the views: ${seen.join(", ")}`,
      );
      check(invisible.length === 0, `${view}: focus cannot be seen on ${invisible.join(", ")}`);
      const tables = await cut(page);
      check(tables.length === 0, `${view}: a table runs past its frame at 1200 px: ${tables.join(", ")}`);
    });
  }
}

async function checkApproval(browser, origin) {
  const cases = [
    "",
    "?kind=policy_change",
    "?kind=session_consent",
    "?kind=script",
    "?kind=turn_on",
    "?kind=command",
    "?kind=disclosure",
    "?scenario=empty",
    "?scenario=error",
    "?scenario=lost",
    "?scenario=loading",
  ];
  for (const query of cases) {
    for (const colorScheme of ["light", "dark"]) {
      const address = `${origin}/approval.html${query}`;
      await withPage(browser, address, { width: 560, height: 680 }, { colorScheme }, async (page) => {
        await page.waitForTimeout(900);
        const found = await violations(page);
        check(found.length === 0, `axe, approval${query}, ${colorScheme}: ${found.join("; ")}`);
      });
    }
  }
  const kinds = ["session_consent", "script", "turn_on", "command", "disclosure"];
  for (const query of ["", ...kinds.map((kind) => `?kind=${kind}`)]) {
    await withPage(browser, `${origin}/approval.html${query}`, { width: 320, height: 640 }, {}, async (page) => {
      await page.waitForSelector("[data-testid=deny]");
      check((await overflow(page)) <= 0, `the approval window${query} scrolls sideways at 320 px`);
    });
    await withPage(browser, `${origin}/approval.html${query}`, { width: 720, height: 640 }, {}, async (page) => {
      await page.waitForSelector("[data-testid=deny]");
      const focused = await page.evaluate(() => document.activeElement?.getAttribute("data-testid"));
      check(focused === "deny", `approval${query}: focus starts on ${focused} instead of Deny`);
      const { seen, invisible } = await walk(page, 16);
      const isReached = seen.some((name) => /^(allow-once|allow-for|variant-)/.test(name));
      check(isReached, `approval${query}: Tab does not reach the answers: ${seen.join(", ")}`);
      check(invisible.length === 0, `approval${query}: focus cannot be seen on ${invisible.join(", ")}`);
    });
  }
  await withPage(browser, `${origin}/approval.html`, { width: 520, height: 420 }, {}, async (page) => {
    await page.waitForSelector("[data-testid=deny]");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-testid"));
    const title = () => page.textContent("[data-testid=approval-title]");
    check((await focused()) === "deny", `focus starts on ${await focused()} instead of Deny`);
    const first = await title();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+Enter");
    await page.mouse.click(260, 20);
    check((await title()) === first, "a press in the grace period answered");
    const heights = await page.$$eval("button", (all) => all.map((each) => each.getBoundingClientRect().height));
    check(
      heights.every((height) => height >= 32),
      `a button is lower than 32 px: ${heights.join(", ")}`,
    );
    await page.waitForTimeout(800);
    await page.keyboard.press("Escape");
    await page.waitForFunction((before) => document.querySelector("#title")?.textContent !== before, first);
    check((await focused()) === "deny", "focus is not back on Deny for the next question");
    const second = await title();
    await page.keyboard.press("Enter");
    check((await title()) === second, "the next question had no grace period of its own");
  });
}

/** What is hidden until it is opened: results, reviews, pictures, tables of models, how a refresh went. */
async function checkOpened(browser, origin) {
  const opened = [
    [
      `plans?plan=${"aacc".padEnd(24, "0")}`,
      ["[data-testid^=plan-row-] .buttons button", "[data-testid=consensus-review] summary"],
    ],
    [`plans?plan=${"aabb".padEnd(24, "0")}`, ["[data-testid^=plan-row-] .buttons button"]],
    [
      "providers",
      ["[data-testid=lists-refresh]", "[data-testid=quotas-refresh]", "[data-testid=models-openrouter] summary"],
    ],
    ["worker?session=0199c2f4-thread", ["[data-testid=worker-show-texts]"]],
    ["worker?session=7a5e-letter", ["[data-testid=worker-on]"]],
    ["worker?session=7a5e-letter", ["[data-testid=worker-remove-session]"]],
    ["worker?session=7a5e-letter", ["[data-testid=worker-remove-artifacts]", "[data-testid$=-confirm-confirm]"]],
    ["worker", ["[data-testid=purge-count]"]],
    ["worker?tab=commands", ["[data-testid=policy-run]"]],
    ["savings", ["[data-testid=savings-choose]"]],
    ["savings?by=client", ["[data-testid=savings-backfill]", "[data-testid=savings-how] summary"]],
  ];
  for (const [place, presses] of opened) {
    for (const [viewport, colorScheme] of [
      [WIDE, "light"],
      [WIDE, "dark"],
      [{ width: 320, height: 640 }, "light"],
    ]) {
      await withPage(browser, `${origin}/index.html#/${place}`, viewport, { colorScheme }, async (page) => {
        await page.waitForSelector("#view-title");
        for (const press of presses) await page.click(press);
        await page.waitForTimeout(300);
        const found = await violations(page);
        check(found.length === 0, `axe, ${place} opened, ${viewport.width} px, ${colorScheme}: ${found.join("; ")}`);
        check((await overflow(page)) <= 0, `${place} opened scrolls sideways at ${viewport.width} px`);
      });
    }
  }
}

/** A range without a turn: said, chosen and left by keyboard alone. */
async function checkEmptyRange(browser, origin) {
  const address = `${origin}/index.html?scenario=quiet#/savings?range=7`;
  for (const [viewport, colorScheme] of [
    [WIDE, "light"],
    [WIDE, "dark"],
    [{ width: 320, height: 640 }, "light"],
  ]) {
    await withPage(browser, address, viewport, { colorScheme }, async (page) => {
      await page.waitForSelector("[data-testid=savings-to-all]");
      const found = await violations(page);
      check(found.length === 0, `axe, empty range, ${viewport.width} px, ${colorScheme}: ${found.join("; ")}`);
      check((await overflow(page)) <= 0, `an empty range scrolls sideways at ${viewport.width} px`);
      const isCut = await page.$eval("[role=group]", (group) => group.scrollWidth > group.clientWidth);
      check(!isCut, `a range cannot be seen whole at ${viewport.width} px`);
      await page.focus("[data-testid=range-30]");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => location.hash === "#/savings?range=30");
      await page.focus("[data-testid=savings-to-all]");
      await page.keyboard.press("Enter");
      await page.waitForSelector("[data-testid=savings-all]");
      check((await page.evaluate(() => location.hash)) === "#/savings", "the way to all time leads elsewhere");
    });
  }
}

async function checkPreferences(browser, origin) {
  await withPage(browser, `${origin}/index.html#/overview`, WIDE, { forcedColors: "active" }, async (page) => {
    await page.waitForSelector("[data-testid=tile-calls]");
    const border = await page.$eval("[data-testid=tile-calls]", (tile) => getComputedStyle(tile).borderTopStyle);
    check(border === "solid", "tiles lose their border in forced colours");
  });
  await withPage(browser, `${origin}/index.html#/overview`, WIDE, { reducedMotion: "reduce" }, async (page) => {
    await page.waitForSelector("[data-testid=help-open]");
    const time = await page.$eval("[data-testid=help-open]", (each) => getComputedStyle(each).transitionDuration);
    check(time === "0s", `motion is not reduced: ${time}`);
  });
}

const browser = await launch();
if (!browser) process.exit(0);
await build({ root, mode: "fake", logLevel: "error" });
const site = await serve(`${root}dist-fake`);
try {
  await checkViews(browser, site.origin);
  await checkApproval(browser, site.origin);
  await checkOpened(browser, site.origin);
  await checkEmptyRange(browser, site.origin);
  await checkPreferences(browser, site.origin);
} finally {
  await browser.close();
  site.close();
}
for (const failure of failures) console.log(`failed: ${failure.replaceAll(site.origin, "")}`);
console.log(`${checks - failures.length} of ${checks} checks passed`);
process.exit(failures.length === 0 ? 0 : 1);
