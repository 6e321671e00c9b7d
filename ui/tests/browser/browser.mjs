import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A headless browser from the system, or nothing (with a word on why) when there is none. */
export async function launch() {
  const executablePath = process.env.LWA_BROWSER ?? PLACES.find((place) => existsSync(place));
  if (!executablePath) {
    console.log("skipped: no chromium found; install one or name it in LWA_BROWSER");
    return null;
  }
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });
}
