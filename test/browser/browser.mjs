// browser.mjs: what the tests in Chromium share. SHOTS names the directory of screenshots, and TOOLS the directory in which install.sh has
// put what drives Chromium.
import { createRequire } from "node:module";
import { join } from "node:path";

export const { chromium } = createRequire(join(process.env.TOOLS, "/"))("playwright-core");

export const launchOptions = {
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium", headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
};

export const sizes = { desktop: [1280, 900], small: [800, 600], phone: [390, 844] };

// animates reports whether a page draws two frames within a minute.
const animates = (page) => page.evaluate(() => new Promise((done) => {
  setTimeout(() => done(false), 60000);
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
}));

// screenshot keeps a picture of the whole page. Chromium has been seen to never finish one of a page that went on drawing:
// then, and only if the page does draw, another one is taken, and that is printed.
export async function screenshot(page, name) {
  const options = { path: join(process.env.SHOTS, name + ".png"), fullPage: true };
  try {
    await page.screenshot(options);
  } catch (e) {
    if (!(await animates(page))) throw new Error(`${name}: the page draws no frames`, { cause: e });
    console.log(`note ${name}: taken again, after: ${e.message.split("\n")[0]}`);
    await page.screenshot(options);
  }
}
