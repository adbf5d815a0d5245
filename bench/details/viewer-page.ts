// How long the page of the viewer takes with a run of 10,000 spans, and `kumiko dev` until it is seen:
// npm run build && npx tsx bench/details/viewer-page.ts. It needs a Chromium.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import type { RunView, SpanView } from "../../src/viewer/api.js";
import { browserPath } from "../../test/viewer/page/chromium.js";
import { recordedData, serveRecorded } from "../../test/viewer/page/recorded-server.js";

const count = Number(process.argv[2] ?? 10_000);
if (browserPath === undefined)
  throw new Error("There is no Chromium. Install it, or name it in the variable CHROMIUM.");
const { view } = recordedData();
const server = await serveRecorded({ views: { large: large(view), small: view } });
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
// a page of its own starts the process that the others share
await (await browser.newPage()).goto(server.url);
for (const name of ["small", "large"]) {
  // without a trace, which takes time itself
  const opened = await timesToOpen(name);
  const page = await newPage();
  const traced = async (work: () => Promise<unknown>): Promise<number[]> => {
    await browser.startTracing(page, {
      categories: ["toplevel", "disabled-by-default-lighthouse", "devtools.timeline"],
    });
    await work();
    return tasksOf(JSON.parse((await browser.stopTracing()).toString()));
  };
  let frames: number[] = [];
  const opening = await traced(async () => {
    await open(page, name);
    await page.waitForTimeout(500);
  });
  // the rest of a large run comes once it is shown
  await page.locator("button:enabled", { hasText: "Save as page" }).waitFor();
  const scrubbing = await traced(async () => {
    frames = await page.evaluate(scrub);
  });
  const spans = name === "large" ? count : view.spans.length;
  const [median, last] = [frames[frames.length >> 1] ?? 0, frames.at(-1) ?? 0];
  const sum = scrubbing.reduce((all, ms) => all + ms, 0);
  process.stdout.write(
    `${spans} spans: open ${opened[opened.length >> 1]?.toFixed(0)} ms (${opened[0]?.toFixed(0)} to ${opened.at(-1)?.toFixed(0)}), longest task ${ms(opening.at(-1))} of CPU; scrubbing ${median.toFixed(1)} ms a frame (at most ${last.toFixed(1)}), ${ms(sum / frames.length)} of CPU (longest task ${ms(scrubbing.at(-1))})\n`,
  );
  await page.close();
}
await server.close();
const command = join(import.meta.dirname, "../../dist/bin/kumiko.js");
if (existsSync(command)) await firstPaints();
else process.stdout.write("kumiko dev was not built: npm run build\n");
await browser.close();

async function newPage(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  // tsx names functions with it
  await page.addInitScript("globalThis.__name = (value) => value");
  await page.addInitScript(noteDrawn);
  return page;
}

async function open(page: Page, name: string): Promise<void> {
  await page.goto(`${server.url}#/runs/${name}`);
  await page.waitForFunction(() => Reflect.has(window, "drawnAt"));
}

/** In milliseconds, the shortest first. */
async function timesToOpen(name: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 9; n++) {
    const page = await newPage();
    await open(page, name);
    times.push(await page.evaluate(() => Reflect.get(window, "drawnAt")));
    await page.close();
  }
  return times.sort((a, b) => a - b);
}

/** From the command to the first paint, and until the apps of the file are there. The browser is open, as that of the user. */
async function firstPaints(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-bench-"));
  const packages = join(import.meta.dirname, "../../node_modules");
  symlinkSync(packages, join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const entry = JSON.stringify(join(import.meta.dirname, "../../dist/index.js"));
  const code = `import { Chain } from ${entry};
export const app: object = new Chain<string>().append((text) => text.length, { key: "count" }).compile({ name: "counter" });`;
  writeFileSync(join(folder, "app.ts"), code);
  for (let n = 0; n < 3; n++) {
    const began = Date.now();
    const child = spawn(process.execPath, [command, "dev", join(folder, "app.ts"), "--port", "0", "--no-open"]);
    const address = await new Promise<string>((resolve) => {
      child.stdout.on("data", (piece) => resolve(String(piece).trim()));
    });
    const listens = Date.now() - began;
    const page = await browser.newPage();
    await page.goto(address);
    await page.waitForSelector('a[href*="apps/app"]');
    const shown = Date.now() - began;
    const painted = await page.evaluate(() => {
      const [paint] = performance.getEntriesByName("first-contentful-paint");
      return performance.timeOrigin + (paint?.startTime ?? Number.NaN);
    });
    process.stdout.write(
      `kumiko dev: listens after ${listens} ms, first paint after ${(painted - began).toFixed(0)} ms, apps after ${shown} ms\n`,
    );
    await page.close();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true });
}

function ms(value = 0): string {
  return `${value.toFixed(1)} ms`;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** CPU time of the thread, in microseconds. */
  readonly tdur?: number;
}

/** How long the tasks of the page's main thread took of CPU, which the load of the machine changes little: the shortest first. */
function tasksOf({ traceEvents }: { readonly traceEvents: readonly TraceEvent[] }): number[] {
  const mains = new Set(
    traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid} ${tid}`] : [],
    ),
  );
  const tasks = traceEvents.flatMap(({ name, pid, tid, tdur = 0 }) =>
    name.endsWith("RunTask") && mains.has(`${pid} ${tid}`) ? [tdur / 1_000] : [],
  );
  return tasks.sort((a, b) => a - b);
}

/** The run again and again, one after another, up to so many spans. */
function large(given: RunView): RunView {
  const [first] = given.segments;
  const own = given.spans.filter(({ segment }) => segment === 0);
  const start = first?.startedAt ?? 0;
  const length = (first?.endedAt ?? start) - start;
  const spans = Array.from({ length: count }, (_, index): SpanView => {
    const round = Math.floor(index / own.length);
    const span = own[index % own.length] as SpanView;
    const shift = round * length;
    return {
      ...span,
      id: `${span.id} ${round}`,
      ...(span.parent !== undefined && { parent: `${span.parent} ${round}` }),
      status: "done",
      startedAt: span.startedAt + shift,
      endedAt: (span.endedAt ?? span.startedAt) + shift,
    };
  });
  const end = start + Math.ceil(count / own.length) * length;
  return { ...given, spans, segments: [{ startedAt: start, endedAt: end, status: "finished" }], questions: [] };
}

/** Notes when the bars are on the screen, in milliseconds since the address was opened. */
function noteDrawn(): void {
  const look = (): void => {
    if (document.querySelector(".bars canvas") === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => Reflect.set(window, "drawnAt", performance.now()));
  };
  requestAnimationFrame(look);
}

/** The times that moments take to be drawn, the shortest first. */
async function scrub(): Promise<number[]> {
  const axis = document.querySelector(".axis");
  const { left = 0, top = 0, width = 0 } = axis?.getBoundingClientRect() ?? {};
  const at = (x: number) => ({ clientX: left + x, clientY: top + 4, bubbles: true });
  axis?.dispatchEvent(new PointerEvent("pointerdown", at(200)));
  const times: number[] = [];
  for (let step = 0; step < 60; step++) {
    await new Promise(requestAnimationFrame);
    const before = performance.now();
    dispatchEvent(new PointerEvent("pointermove", at(200 + (step * (width - 260)) / 60)));
    await new Promise((resolve) => setTimeout(resolve));
    times.push(performance.now() - before);
  }
  return times.sort((a, b) => a - b);
}
