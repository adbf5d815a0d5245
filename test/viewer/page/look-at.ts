import type { Page } from "playwright-core";
import { axeFaults, picture, type usePage } from "./open-page.js";
import type { RecordedData } from "./recorded-server.js";

/** A state of the page that is looked at. */
export interface View {
  readonly name: string;
  readonly hash: string;
  /** What is there once it is drawn. */
  readonly ready: string;
  readonly data?: RecordedData;
  /** Errors of the console that belong to it. */
  readonly expected?: RegExp;
  readonly act?: (page: Page) => Promise<void>;
}

/** Colors do not depend on the width, nor what fits on the theme; `KUMIKO_VIEWS=all` looks at all four. */
const all = [
  ["light", 1440],
  ["dark", 360],
  ["light", 360],
  ["dark", 1440],
] as const;
export const looks: readonly (typeof all)[number][] = process.env.KUMIKO_VIEWS === "all" ? all : all.slice(0, 2);

/** The views that get this look: where few are taken, each gets one of them. */
export function turnsOf(views: readonly View[], look: (typeof all)[number]): readonly View[] {
  return looks === all ? views : views.filter((_, n) => looks[n % looks.length] === look);
}

/** On a phone, parts of a run are tabs. */
export async function tab(page: Page, name: string): Promise<void> {
  const found = page.getByRole("tab", { name });
  if ((await found.count()) > 0) await found.click();
}

/** What is wrong with the views, one line each: by axe, by the browser, or because it is wider than the screen. */
export async function faultsOf(
  views: readonly View[],
  open: ReturnType<typeof usePage>["open"],
  [theme, width]: (typeof all)[number],
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, hash, ready, data = {}, expected, act } of views) {
    const { page, faults } = await open(hash, { theme, width, data });
    await page.waitForSelector(ready, { state: "attached" });
    await act?.(page);
    await picture(page, `${name.replaceAll(/\W+/g, "-")}-${theme}-${width}`);
    const own = faults.filter((fault) => expected?.test(fault) !== true);
    for (const fault of [...(await axeFaults(page)), ...own]) found.push(`${name}: ${fault}`);
    for (const fault of await page.evaluate(faultsInPage)) found.push(`${name}: ${fault}`);
    await page.close();
  }
  return found;
}

/** What is wider than its place, and what values have done to the page. Runs in the browser. */
function faultsInPage(): string[] {
  const found: string[] = [];
  for (const element of document.querySelectorAll("html, .detail, .list, .talk, .insp, .page, .side, dialog")) {
    if (element.scrollWidth > element.clientWidth) found.push(`${element.className || element.tagName} is cut`);
  }
  const texts = [document.body.innerText];
  for (const element of document.querySelectorAll("[title], [aria-label]"))
    texts.push(element.getAttribute("title") ?? "", element.getAttribute("aria-label") ?? "");
  if (/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(texts.join(" "))) found.push("a control turns a text");
  if (document.querySelector("a:not([href^='http'], [href^='#'])") !== null) found.push("a link leads elsewhere");
  if (Reflect.has(window, "pwned")) found.push("a value has run");
  return found;
}
