// The page of the viewer in a real browser, with recorded data: how it looks, and whom it serves.
import { describe, expect, it } from "vitest";
import { faultsOf, looks, tab, type View } from "./look-at.js";
import { browserPath, missing, usePage } from "./open-page.js";

const { open } = usePage();

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
  {
    name: "run, state",
    ...run,
    act: async (page) => {
      await tab(page, "State");
      await page.locator(".json").first().waitFor();
    },
  },
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

describe(`the page${missing}`, () => {
  it.runIf(browserPath !== undefined).each(looks)(
    "has nothing that axe finds wrong, no error and no request to elsewhere, %s, at %i pixels",
    async (...look) => expect(await faultsOf(views, open, look)).toEqual([]),
    600_000,
  );
});
