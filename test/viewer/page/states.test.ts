// What the page shows now and then: the banner of kumiko dev, large graphs, and what is further back.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CompiledGraph, END, Graph, memoryStore, START, traceRecorder } from "kumiko";
import { runPage } from "kumiko/viewer";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunView, SaveView, SpanView, TurnView } from "../../../src/viewer/api.js";
import { gate } from "../../run/gate.js";
import { tab } from "./look-at.js";
import { browserPath, missing, usePage } from "./open-page.js";
import { lineOf } from "./rare-data.js";
import { serveApps } from "./real-server.js";
import { recordedData } from "./recorded-server.js";

const { open, openAt, openFile } = usePage();

describe.runIf(browserPath !== undefined)(`the page of kumiko dev${missing}`, () => {
  it("says why the app has stopped, restarts it, and then shows its apps", async () => {
    const ended = { status: "ended", message: "TypeError: no", place: "/app/agent.ts:7", hasChanged: false } as const;
    const { page, server } = await open("#/runs", { data: { dev: ended } });
    const banner = page.getByRole("alert");
    await expect.poll(() => banner.textContent()).toMatch(/has stopped.*TypeError: no.*agent\.ts:7/);
    expect(await page.locator("a[href*='apps/refund-desk']").count()).toBe(0);
    await page.getByRole("button", { name: "Restart" }).click();
    await expect.poll(() => server.posts).toEqual([{ path: "restart", body: {} }]);
    server.tell({ status: "running", hasChanged: false });
    await expect.poll(() => page.locator("a[href*='apps/refund-desk']").count()).toBeGreaterThan(0);
    expect(await banner.count()).toBe(0);
    server.tell({ status: "running", hasChanged: true });
    await expect.poll(() => page.locator(".strip").textContent()).toContain("A file has changed.");
  });

  it("lists the apps, with what they are", async () => {
    const { page } = await open("#/apps", { width: 360 });
    await expect
      .poll(() => page.locator(".app-row").allTextContents())
      .toEqual(["refund-deskgraph", "research-reportworkflow", "investigateagent"]);
    await page.locator(".app-row").first().click();
    await expect.poll(() => page.locator("h1").textContent()).toBe("refund-desk");
  });
});

describe.runIf(browserPath !== undefined)(`a large graph${missing}`, () => {
  it("has its inner graphs folded, until one is pressed", async () => {
    const info = new Graph<number, number>()
      .addNode("big", lineOf(160))
      .addEdge(START, "big")
      .addEdge("big", END)
      .compile({ name: "outer" })
      .graphInfo();
    const { page } = await open("#/apps/outer", { data: { apps: { outer: info } } });
    const card = page.locator("[data-path=big]");
    await expect.poll(() => card.textContent()).toContain("160 nodes");
    await card.press("Enter");
    await page.locator("[data-path='big/n0']").waitFor();
    await page.getByRole("button", { name: "Fold it again" }).click();
    await expect.poll(() => page.locator("[data-path='big/n0']").count()).toBe(0);
  });

  it("of more than 2,000 nodes is a list, of which only what is in sight is drawn", async () => {
    const info = lineOf(2_001).compile({ name: "line" }).graphInfo();
    const { page } = await open("#/apps/line", { data: { apps: { line: info } } });
    const rows = page.locator(".node-row");
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThan(100);
    await page.locator(".node-list").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.locator("[data-path=n2000]").waitFor();
  });
});

describe.runIf(browserPath !== undefined)(`a run of thousands of spans${missing}`, () => {
  it("is shown before it has all values, and then gets them", async () => {
    const { page } = await open("#/runs", { data: { views: { large: repeated(recordedData().view, 4_000) } } });
    const release = gate();
    await page.route(/spans\?from=\d+&to=\d+$/, async (route) => {
      await release.promise;
      await route.continue();
    });
    await page.evaluate(() => location.assign("#/runs/large"));
    const save = page.getByRole("button", { name: "Save as page" });
    await page.locator(".bars canvas").waitFor();
    expect(await save.isDisabled()).toBe(true);
    // how it ends can be read at once
    await expect.poll(() => page.locator(".talk").textContent()).toContain("Let me look at the invoice");
    await page.locator("[data-path=classify]").click();
    await tab(page, "Details");
    const details = page.getByRole("region", { name: "Details" });
    await expect.poll(() => details.textContent()).toContain("Our Asanoha panel");
    const { width = 0 } = (await page.locator(".axis").boundingBox()) ?? {};
    await page.locator(".axis").click({ position: { x: width * 0.6, y: 4 } });
    await expect.poll(() => details.textContent()).toContain("Loading …");
    release.open();
    await expect.poll(() => details.textContent()).toContain("Our Asanoha panel");
    await expect.poll(() => save.isEnabled()).toBe(true);
  });
});

/** The spans of its first segment again and again. */
function repeated(view: RunView, count: number): RunView {
  const [first] = view.segments;
  const own = view.spans.filter(({ segment }) => segment === 0);
  const start = first?.startedAt ?? 0;
  const length = (first?.endedAt ?? start) - start;
  const spans = Array.from({ length: count }, (_, index): SpanView => {
    const round = Math.floor(index / own.length);
    const { parent, endedAt, ...span } = own[index % own.length] as SpanView;
    const shift = round * length;
    const times = { startedAt: span.startedAt + shift, endedAt: (endedAt ?? span.startedAt) + shift };
    const inside = parent === undefined ? {} : { parent: `${parent} ${round}` };
    return { ...span, ...inside, ...times, id: `${span.id} ${round}`, status: "done" };
  });
  const end = start + Math.ceil(count / own.length) * length;
  return {
    ...view,
    spans,
    segments: [{ startedAt: start, endedAt: end, status: "finished" }],
    saves: [],
    questions: [],
  };
}

describe.runIf(browserPath !== undefined)(`a saved page of a large graph${missing}`, () => {
  it.each([
    ["in the page", saveInPage],
    ["by runPage()", saveByCode],
  ])("opens its folded inner graphs without a server, saved %s", async (_, save) => {
    const inner = lineOf(160).compile({ name: "inner" });
    const outer = new Graph<number, number>().addNode("big", inner).addEdge(START, "big").addEdge("big", END);
    const app = outer.compile({ name: "outer", store: memoryStore(), history: true, keepCheckpoint: true });
    const { page, faults } = await openFile(await save(app));
    const card = page.locator("[data-path=big]");
    await expect.poll(() => card.textContent()).toContain("160 nodes");
    await card.press("Enter");
    await expect.poll(() => page.locator("[data-path='big/n0'].st-done").count()).toBe(1);
    await page.getByRole("button", { name: "Fold it again" }).click();
    await expect.poll(() => page.locator("[data-path='big/n0']").count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

type App = CompiledGraph<number, number>;

async function saveInPage(app: App): Promise<string> {
  const { url, shown } = await serveApps({ apps: { outer: app } });
  await app.invoke(1, { checkpointId: "r-1", callbacks: [shown.handler] });
  const { page } = await openAt(url, "#/runs/s.outer.r-1");
  await page.getByRole("button", { name: "Save as page" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save", exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("outer-r-1.html");
  const file = join(temporary(), "run.html");
  await download.saveAs(file);
  return file;
}

async function saveByCode(app: App): Promise<string> {
  const trace = traceRecorder();
  await app.invoke(1, { checkpointId: "r-1", callbacks: [trace] });
  const file = join(temporary(), "run.html");
  writeFileSync(file, await runPage(trace.toJSON()));
  return file;
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-saved-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe.runIf(browserPath !== undefined)(`what is further back in a run${missing}`, () => {
  it("is loaded when it is asked for: turns and saves", async () => {
    const said = (turn: number): TurnView => ({
      turn,
      status: "finished",
      prompt: [{ role: "user", contentBlocks: [{ type: "user_input_text", text: `Question ${turn}` }] }],
      messages: [],
    });
    const { view } = recordedData();
    const [first, ...saves] = view.saves ?? [];
    const run = { ...view, saves, turns: [said(51), said(52)] };
    const older = { saves: [first as SaveView], turns: [said(50)], more: false };
    const { page } = await open("#/runs/long", { data: { views: { long: run }, older } });
    await page.locator(".earlier summary").click();
    await page.getByRole("button", { name: "Show more turns" }).click();
    await expect.poll(() => page.locator(".earlier .turn").allTextContents()).toEqual(["Question 50", "Question 51"]);
    expect(await page.getByRole("button", { name: "Show more turns" }).count()).toBe(0);
    await page.getByRole("button", { name: "Earlier saves" }).click();
    await expect.poll(() => page.locator(".ctl .where").textContent()).toContain(`of ${saves.length + 1}`);
    expect(await page.getByRole("button", { name: "Earlier saves" }).count()).toBe(0);
  });
});
