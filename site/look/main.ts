// Opens the built site in Chromium: `npm run docs -- --look`. Pictures of what it saw are in site/.out/look.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { launch, type Page } from "puppeteer-core";
import { serveFolder } from "./serve-folder.js";

const site = dirname(import.meta.dirname);
const dist = join(site, "dist");
const pictures = join(site, ".out/look");
const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const pages = [
  "index.html",
  "guides/first-agent.html",
  "guides/tools.html",
  "guides/when-things-fail.html",
  "traces-elsewhere.html",
  "reference/agents.html",
  "api/compose.html",
];
const themes = ["light", "dark"] as const;
const widths = [1280, 360];
const forbidden = ["color-contrast", "nested-interactive", "link-name"];
/** Rules that pages of the theme break themselves, and that are told without failing. */
const knownFaults: readonly string[] = [
  "label-content-name-mismatch",
  "landmark-complementary-is-top-level",
  "landmark-one-main",
  "landmark-unique",
  "region",
  "heading-order",
];

const browserPath = [process.env.CHROMIUM ?? "", ...browsers].find((path) => path !== "" && existsSync(path));
if (browserPath === undefined)
  stop(`There is no Chromium (${browsers.join(", ")}, or CHROMIUM=path). Nothing was looked at.`);
if (!existsSync(join(dist, "index.html"))) stop("site/dist is missing: run npm run docs first.");

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const problems = new Set<string>();
const notes = new Set<string>();
mkdirSync(pictures, { recursive: true });
const server = await serveFolder(dist);
const browser = await launch({
  executablePath: browserPath,
  // a container has neither a user whom the sandbox accepts nor much shared memory, and the pages are ours
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});
try {
  for (const theme of themes) {
    for (const width of widths) {
      const page = await openTab(theme, width);
      for (const path of pages) await lookAt(page, path, theme, width);
      if (width === 1280) await tryKeys(page);
      if ((await page.cookies()).length > 0) problems.add(`A page sets cookies (${theme})`);
      await page.close();
    }
  }
} finally {
  await browser.close();
  server.close();
}
for (const note of notes) console.log(note);
if (problems.size > 0) stop([...problems, `${problems.size} problems. Pictures are in site/.out/look.`].join("\n"));
console.log(
  `${pages.length * themes.length * widths.length} views are as they should be. Pictures are in site/.out/look.`,
);

async function openTab(theme: string, width: number): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 800 });
  await page.evaluateOnNewDocument((value) => localStorage.setItem("vitepress-theme-appearance", value), theme);
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.url) && !url.startsWith("data:")) problems.add(`A page asks for ${url}`);
  });
  page.on("pageerror", (error) => problems.add(`A page has an error: ${String(error)}`));
  return page;
}

async function lookAt(page: Page, path: string, theme: string, width: number): Promise<void> {
  const view = `${path}, ${theme}, ${width} px`;
  await page.goto(`${server.url}/${path}`, { waitUntil: "networkidle0" });
  const [content, visible] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  if ((content ?? 0) > (visible ?? 0))
    problems.add(`${view}: scrolls sideways by ${(content ?? 0) - (visible ?? 0)} px`);
  await page.screenshot({
    path: join(pictures, `${path.replace(/\W+/g, "-")}-${theme}-${width}.png`) as `${string}.png`,
  });
  await page.evaluate(axe);
  const found: { id: string; where: string }[] = await page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
    ).axe.run();
    return violations.map(({ id, nodes }) => ({ id, where: nodes[0]?.html.slice(0, 160) ?? "" }));
  });
  for (const { id, where } of found) {
    if (forbidden.includes(id)) problems.add(`${view}: ${id} at ${where}`);
    else if (knownFaults.includes(id)) notes.add(`known fault of the theme: ${id}`);
    else notes.add(`${id} on ${path}: ${where}`);
  }
}

/** `/` and Ctrl K open the search; Escape closes it, and the focus is where it was. */
async function tryKeys(page: Page): Promise<void> {
  for (const keys of [["/"], ["Control", "k"]] as const) {
    await page.goto(`${server.url}/${pages[1]}`, { waitUntil: "networkidle0" });
    await page.focus("a.VPNavBarMenuLink, .VPNavBarMenu a");
    const before = await page.evaluate(() => document.activeElement?.outerHTML);
    for (const key of keys.slice(0, -1)) await page.keyboard.down(key as "Control");
    await page.keyboard.press(keys.at(-1) as "k");
    for (const key of keys.slice(0, -1)) await page.keyboard.up(key as "Control");
    const name = keys.join(" ");
    const opened = await page.waitForSelector(".VPLocalSearchBox input", { timeout: 5_000 }).catch(() => undefined);
    if (opened === undefined || opened === null) {
      problems.add(`${name} does not open the search`);
      continue;
    }
    await page.type(".VPLocalSearchBox input", "approval");
    await page.waitForSelector(".VPLocalSearchBox .result", { timeout: 5_000 });
    await page.screenshot({ path: join(pictures, `search-${keys.length}.png`) as `${string}.png` });
    await page.keyboard.press("Escape");
    await page.waitForSelector(".VPLocalSearchBox", { hidden: true, timeout: 5_000 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    if ((await page.evaluate(() => document.activeElement?.outerHTML)) !== before) {
      problems.add(`After ${name} and Escape the focus is elsewhere`);
    }
  }
}

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}
