import type { GraphInfo } from "../callbacks/graph-info.js";
import { readTrace } from "../callbacks/read-trace.js";
import type { Trace } from "../callbacks/trace.js";
import { checkOptions } from "../check-options.js";
import type { HistoryEntry, SavedState } from "../checkpoint/history/history-entry.js";
import { hasMethod, isFields } from "../is.js";
import { kindOf } from "../wording.js";
import type { RunView, SaveView, StateView } from "./api.js";
import { invalidRun, severalRuns, unknownSaves } from "./errors.js";
import { levelOf, openedOf } from "./layout/graph-picture.js";
import { saveView, statusOf } from "./save-view.js";
import { type SavedRun, savedPage } from "./saved-page.js";
import { spansOfSaves } from "./saved-spans.js";
import { runsOf, traceView } from "./trace-view.js";
import { type Redact, wireView } from "./wire-value.js";

/** Options of {@link runPage}. */
export interface RunPageOptions {
  /**
   * Returns what the page shows of a value, which is called with the keys that lead to it. Values of keys such as `password` and
   * `apiKey` are masked before.
   */
  readonly redact?: Redact | undefined;
}

/** A saved run of an app that keeps a history. @internal */
interface SavedRunOf {
  readonly app: AppWithHistory | { readonly graph: AppWithHistory };
  readonly checkpointId: string;
}

interface AppWithHistory {
  graphInfo(): GraphInfo;
  history(checkpointId: string): AsyncIterable<HistoryEntry>;
  stateAt(checkpointId: string, entry?: string): Promise<SavedState>;
}

/**
 * Writes a run to one HTML file that shows it without a server: what a `traceRecorder()` has recorded of it, or what the store of
 * an app has of it.
 *
 * @example
 * const app = new Chain<string>().append((text) => text.length, { key: "count" }).compile({ name: "counter" });
 * const trace = traceRecorder();
 * await app.invoke("hello", { callbacks: [trace] });
 * const html = await runPage(trace.toJSON());
 */
export async function runPage(run: Trace | SavedRunOf, options: RunPageOptions = {}): Promise<string> {
  checkOptions("runPage", options, ["redact"]);
  if (!isFields(run)) throw invalidRun(kindOf(run));
  const saved = isSaved(run) ? await savedRun(run, options) : recordedRun(readTrace(run), options);
  const { loadPageAssets } = await import("./page-assets.js");
  return savedPage(saved, await loadPageAssets());
}

function isSaved(run: Trace | SavedRunOf): run is SavedRunOf {
  return "checkpointId" in run && isFields(run.app);
}

function recordedRun(trace: Trace, { redact }: RunPageOptions): SavedRun {
  const runs = runsOf(trace);
  const [first, ...others] = runs;
  if (first === undefined) throw invalidRun("a trace without runs");
  if (others.length > 0) throw severalRuns([...runs.keys()]);
  const [key, roots] = first;
  const view = traceView(trace, key, roots, { redact });
  const info = view.graphs[view.graph ?? ""];
  return { view, ...(info !== undefined && openedOf(info)), savedAt: Date.now() };
}

async function savedRun({ app: given, checkpointId }: SavedRunOf, options: RunPageOptions): Promise<SavedRun> {
  const app = "history" in given ? given : given.graph;
  if (!hasMethod(app, "history")) throw invalidRun("an app that has no history()");
  const entries: HistoryEntry[] = [];
  for await (const entry of app.history(checkpointId)) entries.unshift(entry);
  if (entries.length === 0) throw unknownSaves(checkpointId);
  const info = app.graphInfo();
  const show = (info: unknown) => wireView(info, { redact: options.redact, path: ["info"] });
  const saves = entries.map((entry) => saveView(entry, show));
  const states: Record<string, StateView> = {};
  for (const { id } of entries) states[`${id} `] = await stateView(app, checkpointId, id, options);
  return { view: viewOfSaves(info, checkpointId, saves), ...openedOf(info), states, savedAt: Date.now() };
}

async function stateView(
  app: AppWithHistory,
  id: string,
  entry: string,
  { redact }: RunPageOptions,
): Promise<StateView> {
  const saved = await app.stateAt(id, entry);
  const [state, output] = [saved.state(), saved.output()];
  return {
    entry,
    path: "",
    ...(state === undefined ? {} : { state: wireView(state, { redact, path: ["state"] }) }),
    ...(output === undefined ? {} : { output: wireView(output, { redact, path: ["output"] }) }),
  };
}

function viewOfSaves(info: GraphInfo, checkpointId: string, saves: readonly SaveView[]): RunView {
  const [first, last] = [saves[0], saves.at(-1)];
  const { name, component } = info;
  const startedAt = first?.at ?? 0;
  const since = last?.at ?? startedAt;
  const status = statusOf(last);
  return {
    run: { ref: checkpointId, checkpointId, graph: name, component, status, startedAt, since },
    graph: name,
    graphs: { [name]: info },
    ...levelOf(info),
    tools: {},
    segments: [],
    spans: spansOfSaves(saves, info),
    saves,
    questions: [],
    errors: [],
    canFork: "A saved page is read-only.",
  };
}
