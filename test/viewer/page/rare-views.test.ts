// The page with what is rare: nothing, failures, long and hostile texts, thousands of nodes.
import { END, Graph, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { faultsOf, looks, tab, turnsOf, type View } from "./look-at.js";
import { browserPath, missing, usePage } from "./open-page.js";
import { earlierTurns, hostileQuestion, hostileRows, hostileView, lineOf, runningView } from "./rare-data.js";
import { recordedData } from "./recorded-server.js";

const { open } = usePage();

const refusal = (status: number, message: string) => ({ status, message });
const refusedIn = /status of (401|404|503)/;
const { view } = recordedData();
const ended = {
  status: "ended",
  message: "TypeError: Cannot read properties of undefined",
  place: "/app/src/agent.ts:7",
  hasChanged: false,
} as const;

async function views(): Promise<readonly View[]> {
  const hostile = await hostileView();
  const rows = hostileRows();
  const questions = [hostileQuestion()];
  const shown = { views: { hostile, running: runningView() }, rows, questions };
  const { level: _level, graph: _graph, ...unknown } = view;
  const big = new Graph<number, number>().addNode("big", lineOf(160)).addEdge(START, "big").addEdge("big", END);
  const apps = {
    line: lineOf(2_001).compile({ name: "line" }).graphInfo(),
    outer: big.compile({ name: "outer" }).graphInfo(),
  };
  return [
    { name: "empty inbox", hash: "#/inbox", ready: ".empty", data: { questions: [] } },
    { name: "empty runs", hash: "#/runs", ready: ".empty", data: { rows: [] } },
    {
      name: "nothing found",
      hash: "#/runs",
      ready: ".runs-table",
      act: async (page) => {
        await page.getByLabel("Search runs").fill("nowhere");
        await page.locator(".empty").waitFor();
      },
    },
    { name: "inbox, only to look", hash: "#/inbox", ready: ".sheet", data: { can: "look" } },
    {
      name: "inbox, a list",
      hash: "#/inbox",
      ready: ".sheet form",
      act: async (page) => {
        const button = page.getByRole("button", { name: "All questions" });
        if (await button.isVisible()) await button.click();
      },
    },
    { name: "inbox, a stop", hash: "#/inbox/stop", ready: ".sheet form" },
    { name: "inbox, hostile", hash: "#/inbox", ready: ".sheet form", data: shown },
    {
      name: "inbox, mistakes",
      hash: "#/inbox",
      ready: ".sheet form",
      data: shown,
      act: async (page) => {
        await page.getByRole("button", { name: "Answer", exact: true }).click();
        await page.locator(".err").first().scrollIntoViewIfNeeded();
      },
    },
    { name: "runs, hostile", hash: "#/runs", ready: ".runs-table", data: shown },
    { name: "run, hostile", hash: "#/runs/hostile", ready: ".talk .msg", data: shown },
    {
      name: "run, hostile graph",
      hash: "#/runs/hostile",
      ready: ".talk .msg",
      data: shown,
      act: (page) => tab(page, "Graph"),
    },
    {
      name: "run, hostile details",
      hash: "#/runs/hostile",
      ready: ".talk .msg",
      data: shown,
      act: async (page) => {
        await tab(page, "Graph");
        await page.locator("[data-path=fails]").press("Enter");
      },
    },
    {
      name: "run, hostile log",
      hash: "#/runs/hostile",
      ready: ".talk .msg",
      data: shown,
      act: (page) => tab(page, "Log"),
    },
    {
      name: "run, hostile timeline",
      hash: "#/runs/hostile",
      ready: ".talk .msg",
      data: shown,
      act: (page) => tab(page, "Timeline"),
    },
    { name: "run, running", hash: "#/runs/running", ready: ".talk .msg", data: shown },
    {
      name: "run, as a list",
      hash: "#/runs/run_7f3a91",
      ready: ".talk .msg",
      act: async (page) => {
        await tab(page, "Graph");
        await page.getByRole("button", { name: "List" }).click();
      },
    },
    {
      name: "run, without spans",
      hash: "#/runs/saved",
      ready: ".talk",
      data: { views: { saved: { ...view, spans: [], segments: [] } } },
    },
    {
      name: "run, of an unknown graph",
      hash: "#/runs/unknown",
      ready: ".talk",
      data: {
        views: {
          unknown: {
            ...unknown,
            graphs: {},
            errors: ['The graph "desk" is not among the apps.'],
            lostChunks: 12,
            canFork: "Nothing of the run is saved.",
          },
        },
      },
    },
    {
      name: "run, earlier turns",
      hash: "#/runs/turns",
      ready: ".earlier",
      data: { views: { turns: { ...view, turns: earlierTurns() } } },
      act: async (page) => {
        await page.locator(".earlier summary").click();
        await page.locator(".talk").evaluate((talk) => talk.scrollTo(0, 0));
      },
    },
    {
      name: "run, gone",
      hash: "#/runs/gone",
      ready: ".empty",
      data: { refused: { "runs/gone": refusal(404, "There is no such run any more.") } },
      expected: refusedIn,
    },
    { name: "apps", hash: "#/apps", ready: ".app-row" },
    { name: "app, of 2001 nodes", hash: "#/apps/line", ready: ".node-row", data: { apps } },
    { name: "app, folded", hash: "#/apps/outer", ready: ".canvas .node", data: { apps } },
    {
      name: "app, opened",
      hash: "#/apps/outer",
      ready: ".canvas .node",
      data: { apps },
      act: async (page) => {
        await page.locator("[data-path=big]").press("Enter");
        await page.locator("[data-path='big/n0']").waitFor();
      },
    },
    {
      name: "app, gone",
      hash: "#/apps/gone",
      ready: ".empty",
      data: { refused: { "apps/gone": refusal(404, 'There is no app "gone".') } },
      expected: refusedIn,
    },
    {
      name: "start, an agent",
      hash: "#/apps/investigate",
      ready: ".canvas .node",
      act: async (page) => {
        await page.getByRole("button", { name: "Start a run" }).click();
        await page.getByRole("button", { name: "Start", exact: true }).click();
      },
    },
    {
      name: "fork, refused",
      hash: "#/runs/run_7f3a91",
      ready: ".talk .msg",
      act: async (page) => {
        await tab(page, "Timeline");
        await page.getByRole("button", { name: "Fork from here" }).click();
        await page.getByLabel("State").fill("{ not JSON");
        await page.getByRole("button", { name: "Fork and go on" }).click();
      },
    },
    { name: "dev, ended", hash: "#/runs", ready: ".strip", data: { dev: ended } },
    {
      name: "dev, changed",
      hash: "#/runs/run_7f3a91",
      ready: ".strip",
      data: { dev: { status: "running", hasChanged: true } },
    },
    {
      name: "no token",
      hash: "#/runs",
      ready: "h1",
      data: {
        refused: {
          about: refusal(401, "The token is missing or wrong. Open the address that kumiko dev has printed."),
        },
      },
      expected: refusedIn,
    },
  ];
}

describe(`what is rare in the page${missing}`, () => {
  it.runIf(browserPath !== undefined).each(looks.map((look) => [...look, look] as const))(
    "has nothing that axe finds wrong, no error and no request to elsewhere, %s, at %i pixels",
    async (_theme, _width, look) => expect(await faultsOf(turnsOf(await views(), look), open, look)).toEqual([]),
    600_000,
  );
});
