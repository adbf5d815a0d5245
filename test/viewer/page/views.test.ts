// The page of the viewer in a real browser, with recorded data: how it looks, and whom it serves.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { axeFaults, browserPath, missing, picture, usePage } from "./open-page.js";

const { open } = usePage();

interface View {
  readonly name: string;
  readonly hash: string;
  readonly ready: string;
  readonly act?: (page: Page) => Promise<void>;
}

/** On a phone, parts of a run are tabs. */
async function tab(page: Page, name: string): Promise<void> {
  const found = page.getByRole("tab", { name });
  if ((await found.count()) > 0) await found.click();
}

const run = { hash: "#/runs/run_7f3a91", ready: ".talk .msg" };
const views: readonly View[] = [
  { name: "inbox", hash: "#/inbox", ready: ".sheet form" },
  {
    name: "inbox, edited",
    hash: "#/inbox",
    ready: ".sheet form",
    act: (page) => page.getByLabel("amount").fill("12000"),
  },
  { name: "inbox, declined", hash: "#/inbox", ready: ".sheet form", act: (page) => page.getByText("Decline…").click() },
  { name: "inbox, a form", hash: "#/inbox", ready: ".sheet form", act: (page) => page.keyboard.press("j") },
  { name: "runs", hash: "#/runs", ready: ".runs-table" },
  { name: "run", ...run },
  { name: "run, waiting", hash: "#/runs/refund-desk-waiting", ready: ".talk form" },
  {
    name: "run, scrubbed",
    ...run,
    act: async (page) => {
      await tab(page, "Timeline");
      const time = page.getByRole("slider", { name: "Time in the run" });
      await time.press("Home");
      for (let step = 0; step < 9; step++) await time.press("ArrowRight");
    },
  },
  {
    name: "run, details",
    ...run,
    act: async (page) => {
      await tab(page, "Graph");
      await page.locator("[data-path=ledger]").click();
    },
  },
  { name: "run, state", ...run, act: (page) => tab(page, "State") },
  { name: "run, log", ...run, act: (page) => tab(page, "Log") },
  {
    name: "run, fork",
    ...run,
    act: async (page) => {
      await tab(page, "Timeline");
      await page.getByRole("button", { name: "Fork from here" }).click();
    },
  },
  { name: "run, save", ...run, act: (page) => page.getByRole("button", { name: "Save as page" }).click() },
  { name: "app", hash: "#/apps/research-report", ready: ".canvas .node" },
  { name: "agent", hash: "#/apps/investigate", ready: ".canvas .node" },
  {
    name: "start",
    hash: "#/apps/refund-desk",
    ready: ".canvas .node",
    act: (page) => page.getByRole("button", { name: "Start a run" }).click(),
  },
  { name: "keys", hash: "#/runs", ready: ".runs-table", act: (page) => page.keyboard.press("?") },
];

/** Colors do not depend on the width, nor what fits on the theme; `KUMIKO_VIEWS=all` looks at all four. */
const all = [
  ["light", 1440],
  ["dark", 360],
  ["light", 360],
  ["dark", 1440],
] as const;
const looks = process.env.KUMIKO_VIEWS === "all" ? all : all.slice(0, 2);

describe(`the page${missing}`, () => {
  it.runIf(browserPath !== undefined).each(looks)(
    "has nothing that axe finds wrong, no error and no request to elsewhere, %s, at %i pixels",
    async (theme, width) => {
      const found: string[] = [];
      for (const { name, hash, ready, act } of views) {
        const { page, faults } = await open(hash, { theme, width });
        await page.waitForSelector(ready, { state: "attached" });
        await act?.(page);
        await picture(page, `${name.replaceAll(/\W+/g, "-")}-${theme}-${width}`);
        for (const fault of [...(await axeFaults(page)), ...faults]) found.push(`${name}: ${fault}`);
        const { scroll, client } = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return { scroll: scrollWidth, client: clientWidth };
        });
        if (scroll > client) found.push(`${name}: is wider than the screen`);
        await page.close();
      }
      expect(found).toEqual([]);
    },
    600_000,
  );
});
