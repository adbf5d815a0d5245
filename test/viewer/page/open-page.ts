import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { browserPath } from "./chromium.js";
import { type RecordedData, type RecordedServer, serveRecorded } from "./recorded-server.js";

export { browserPath };

export const missing = browserPath === undefined ? " (skipped: no Chromium is installed)" : "";

/** Where pictures of the page go, if somebody wants to look at them. */
const pictures = process.env.KUMIKO_PICTURES;

export interface Look {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly data?: RecordedData;
}

export interface OpenPage {
  readonly page: Page;
  readonly server: RecordedServer;
  /** Errors of the page, and requests to elsewhere. */
  readonly faults: readonly string[];
}

/** Starts a browser once for the tests of a file. Each page has a server of its own. */
export function usePage() {
  let browser: Browser;
  beforeAll(async () => {
    if (browserPath === undefined) return;
    // a container has neither a user whom the sandbox accepts nor much shared memory, and the page is ours
    const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
    browser = await chromium.launch({ executablePath: browserPath, args });
  }, 60_000);
  afterAll(() => browser?.close());

  const context = async ({ theme = "light", width = 1440 }: Look): Promise<BrowserContext> => {
    const viewport = { width, height: width < 500 ? 780 : 900 };
    const opened = await browser.newContext({ colorScheme: theme, viewport, reducedMotion: "reduce" });
    onTestFinished(() => opened.close());
    return opened;
  };

  /** Opens an address of the page with recorded data. */
  const open = async (hash: string, look: Look = {}): Promise<OpenPage> => {
    const server = await serveRecorded(look.data);
    onTestFinished(() => server.close());
    return { server, ...(await openAt(server.url, hash, look)) };
  };

  /** Opens an address of a page that is served. */
  const openAt = async (url: string, hash: string, look: Look = {}) => {
    const page = await (await context(look)).newPage();
    const faults = watch(page, url);
    await page.goto(url + hash);
    return { page, faults };
  };

  /** Opens a file, as a double click would. */
  const openFile = async (path: string, look: Look = {}) => {
    const page = await (await context(look)).newPage();
    const faults = watch(page, `file://${path}`);
    await page.goto(`file://${path}`);
    return { page, faults };
  };
  return { open, openAt, openFile };
}

function watch(page: Page, own: string): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !url.startsWith("data:")) faults.push(`request: ${url}`);
  });
  return faults;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe finds wrong, one line each. */
export async function axeFaults(page: Page): Promise<string[]> {
  // as a tool of the browser, whom the policy of the page does not bind
  await page.evaluate(axe);
  return page.evaluate(async (runOnly) => {
    const { violations } = await Reflect.get(window, "axe").run({ runOnly });
    return violations.map(
      ({ id, nodes }: { id: string; nodes: { target: string[] }[] }) =>
        `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
    );
  }, rules);
}

/** Keeps a picture, if KUMIKO_PICTURES names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
