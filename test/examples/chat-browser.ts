import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { memoryStore } from "kumiko";
import type { ResponseError } from "kumiko/ui";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { buildPage } from "../../examples/chat/build-page.js";
import { createDesk } from "../../examples/chat/desk.js";
import { chatServer } from "../../examples/chat/server.js";
import { DrivenModel } from "./driven-model.js";

/** A Chromium of this machine, if there is one. */
export const browserPath = [
  process.env.CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== "" && existsSync(path));

/** Where pictures of the page go, if somebody wants to look at them. */
const pictures = process.env.KUMIKO_PICTURES;

/** The page of examples/chat in a browser, its server, and the model that a test drives. */
export interface OpenChat {
  readonly url: string;
  readonly page: Page;
  readonly model: DrivenModel;
  /** What the server has reported of errors. */
  readonly reported: ResponseError[];
  /** Everything that the browser has received, page and script aside. */
  received(): string;
}

/** Opens the chat, with a server and a model of its own. */
export interface OpenChats {
  (): Promise<OpenChat>;
  /** Opens the page of another server. */
  page(url: string): Promise<Page>;
}

/** Starts a browser and builds the page once for the tests of a file. */
export function useChat(): OpenChats {
  let browser: Browser;
  const built = mkdtempSync(join(tmpdir(), "kumiko-chat-"));
  beforeAll(async () => {
    if (browserPath === undefined) return;
    await buildPage(built);
    // a container has neither a user whom the sandbox accepts nor much shared memory, and the page is ours
    const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];
    browser = await chromium.launch({ executablePath: browserPath, args });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(built, { recursive: true, force: true, maxRetries: 5 });
  });
  return Object.assign(() => openChat(browser, built), { page: (url: string) => openPage(browser, url) });
}

async function openChat(browser: Browser, built: string): Promise<OpenChat> {
  const model = new DrivenModel();
  const store = memoryStore();
  const reported: ResponseError[] = [];
  const sent: string[] = [];
  const agent = createDesk(model, store);
  const app = chatServer({ agent, store, page: built, report: (error) => void reported.push(error) });
  const server = createServer(getRequestListener(async (request) => noted(await app.fetch(request), sent)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const page = await openPage(browser, url);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, page, model, reported, received: () => sent.join("") };
}

/** Opens a page that fails its test if it has an error, or asks for anything that its server does not have. */
async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_000, height: 760 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!/^(?:data:|http:\/\/127\.0\.0\.1:)/.test(request.url())) problems.push(`It asks for ${request.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(url);
  return page;
}

/** Passes a response on, and notes what it says. */
function noted(response: Response, sent: string[]): Response {
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || !/json|event-stream/.test(type)) return response;
  const decoder = new TextDecoder();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, to) {
        sent.push(decoder.decode(bytes, { stream: true }));
        to.enqueue(bytes);
      },
    }),
  );
  return new Response(body, response);
}

export async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message", exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

export const button = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });

/** Waits until nothing is being written. */
export const idle = (page: Page): Promise<void> => button(page, "Send").waitFor();

/** What the messages of the page say, without what can be done with them: "You: …", "Kawa: …". */
export async function talk(page: Page): Promise<string[]> {
  return page.getByRole("article").evaluateAll((articles) =>
    articles.map((article) => {
      const said = [...article.querySelectorAll("p")].map((paragraph) => paragraph.textContent?.trim());
      return `${article.getAttribute("aria-label")}: ${said.join(" | ")}`;
    }),
  );
}

/** Waits until the messages of the page say this. */
export const saysWhole = (page: Page, expected: readonly string[]): Promise<void> =>
  expect.poll(() => talk(page), { timeout: 20_000 }).toEqual(expected);

/** Takes pictures of the page as it is, in both colour schemes and two widths. */
export async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  for (const width of [1_440, 360]) {
    await page.setViewportSize({ width, height: 760 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) });
    }
  }
  await page.setViewportSize({ width: 1_000, height: 760 });
}
