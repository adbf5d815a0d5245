import { turnOfRunId } from "../../agents/threads/turn-row.js";
import type { GraphInfo } from "../../callbacks/graph-info.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { KumikoError, messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import type { ModelPrice } from "../../models/cost-of.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import type {
  QuestionView,
  RunRow,
  RunStatus,
  RunView,
  SaveView,
  SegmentView,
  SpanList,
  SpanView,
  StateView,
  ToolView,
  TurnView,
  ValueView,
} from "../api.js";
import { levelOf } from "../layout/graph-picture.js";
import { askedView, saveView } from "../save-view.js";
import { spanView, usageView } from "../span-view.js";
import { errorView, type Redact, wireView, withoutSecrets } from "../wire-value.js";
import type { LiveRun, LiveSpan } from "./live-span.js";
import { toolsOf } from "./shown-apps.js";
import { allSpans, firstSpans, type SpanRange, spanPage } from "./span-page.js";
import type { ReadRun, StoredRun, StoredRuns, UnreadableRun } from "./stored-runs.js";
import { turnViews } from "./turn-views.js";
import type { ValueViews } from "./value-views.js";

const mostSaves = 1_000;

/** A run as it is known: in a store, from spans, or both. */
export interface KnownRun {
  readonly ref: string;
  readonly stored: ReadRun | undefined;
  readonly live: LiveRun | undefined;
  /** Of a run that a store has, but that cannot be read. */
  readonly unreadable?: UnreadableRun | undefined;
}

export interface ViewParts {
  readonly values: ValueViews;
  readonly prices: Readonly<Record<string, ModelPrice>> | undefined;
  readonly redact: Redact | undefined;
  readonly stored: StoredRuns;
}

export const storedRef = (storeName: string, id: string): string => `s.${storeName}.${id}`;
export const liveRef = (key: string): string => `k.${key}`;

/** Makes what the page shows of runs. */
export class RunViews {
  readonly #parts: ViewParts;
  /** Of which run a copy that was made here is. */
  readonly #forks = new Map<string, string>();

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  forked(ref: string, of: string): void {
    this.#forks.set(ref, of);
  }

  /** The row of a run in a store. */
  storedRow({ storeName, row, app }: StoredRun, live?: LiveRun): RunRow {
    const { id, status, graph, since, owner, threadId, userId } = row;
    const ref = storedRef(storeName, id);
    const forkOf = this.#forks.get(ref);
    return {
      ref,
      checkpointId: id,
      store: storeName,
      graph,
      ...(app !== undefined && { app: app.row.key, component: app.row.component }),
      status,
      since,
      ...(owner !== undefined && { owner }),
      ...(threadId !== undefined && { threadId }),
      ...(userId !== undefined && { userId }),
      ...(forkOf !== undefined && { forkOf }),
      ...(live !== undefined && this.#known(live)),
    };
  }

  /** A run that cannot be read has failed, whatever the store's index says. */
  unreadableRow({ run, error }: UnreadableRun, live?: LiveRun): RunRow {
    return { ...this.storedRow(run, live), status: "failed", error: errorView(error, this.#parts.redact) };
  }

  /** The row of a run of which only spans are known. */
  liveRow(run: LiveRun, ref: string, app: { readonly key: string } | undefined): RunRow {
    const { graph, checkpointId, threadId, component, roots } = run;
    const last = roots.at(-1);
    return {
      ref,
      ...(checkpointId !== undefined && { checkpointId }),
      graph,
      ...(app !== undefined && { app: app.key }),
      ...(isGraphKind(component) && { component }),
      status: statusOf(last),
      since: last?.endedAt ?? last?.startedAt ?? 0,
      ...(threadId !== undefined && { threadId }),
      ...(last?.error !== undefined && { error: last.error }),
      ...this.#known(run),
    };
  }

  #known(run: LiveRun): Pick<RunRow, "startedAt" | "activeMs" | "usage"> {
    const used = run.spans.flatMap(({ usage, model = "" }) => (usage === undefined ? [] : [{ model, usage }]));
    const now = Date.now();
    const [first] = run.roots;
    return {
      ...(first !== undefined && { startedAt: first.startedAt }),
      activeMs: run.roots.reduce((sum, { startedAt, endedAt = now }) => sum + endedAt - startedAt, 0),
      ...(used.length > 0 && { usage: usageView(used, this.#parts.prices) }),
    };
  }

  span(run: LiveRun, span: LiveSpan): SpanView {
    const { values, prices } = this.#parts;
    const { root } = span;
    const segment = Math.max(0, run.roots.indexOf(root));
    return spanView(span, { segment, rootAddress: root.address, show: values.view, prices });
  }

  /** What is shown of what a question asks. */
  readonly #info = (info: unknown): ValueView => {
    const { values, redact } = this.#parts;
    return values.view(wireView(info, { redact, path: ["info"] }));
  };

  spans(run: LiveRun, range: SpanRange): SpanList {
    return spanPage(run.spans, range, (span) => this.span(run, span));
  }

  async view({ ref, stored, live, unreadable }: KnownRun, range: SpanRange): Promise<RunView> {
    const kept = stored ?? unreadable?.run;
    const broken = unreadable && this.unreadableRow(unreadable, live);
    const known = kept === undefined ? this.liveRow(live as LiveRun, ref, undefined) : this.storedRow(kept, live);
    const run = broken ?? known;
    const errors: string[] = broken?.error === undefined ? [] : [broken.error.message];
    const info = infoOf({ ref, stored, live, unreadable });
    const graphs: Record<string, GraphInfo> = info === undefined ? {} : { [info.name]: info };
    const saves = await this.#saves(stored, errors);
    const questions = stored === undefined ? [] : await this.questions(stored, true);
    const turns = stored?.row.threadId === undefined ? undefined : await this.#turns(stored, errors);
    const error = stored?.document.error;
    const { values, redact } = this.#parts;
    const { spans, more } =
      live === undefined ? { spans: [], more: false } : firstSpans(this.spans(live, allSpans), range);
    const output = stored?.document.status === "finished" ? stored.document.output : undefined;
    return {
      run: {
        ...run,
        ...(stored !== undefined && { startedAt: stored.document.startedAt, questions: questions.length }),
        ...(error !== undefined && { error: errorView(error.value, redact) }),
      },
      ...(info !== undefined && { graph: info.name, ...levelOf(info) }),
      graphs,
      tools: info === undefined ? {} : toolsOf(info),
      segments: (live?.roots ?? []).map(segmentView),
      spans,
      ...(more && live !== undefined && { moreSpans: liveRef(live.key), spanCount: live.spans.length }),
      ...saves,
      ...(turns !== undefined && { turns }),
      questions,
      ...(output !== undefined && { output: values.view(wireView(output.value, { redact, path: ["output"] })) }),
      errors: info === undefined ? [`The graph "${run.graph}" is not among the apps.`, ...errors] : errors,
      canFork: saves.saves === undefined ? (saves.noHistory ?? "Nothing of the run is saved.") : true,
    };
  }

  async #turns(stored: ReadRun, errors: string[]): Promise<readonly TurnView[]> {
    try {
      // a thread may have gone on since
      const { number = Number.POSITIVE_INFINITY } = turnOfRunId(stored.row.id) ?? {};
      return (await turnViews(stored, number + 1, this.#parts.redact)).turns;
    } catch (error) {
      errors.push(`The turns of the thread cannot be read: ${withoutSecrets(messageOf(error))}`);
      return [];
    }
  }

  async #saves(
    stored: ReadRun | undefined,
    errors: string[],
  ): Promise<{ readonly saves?: readonly SaveView[]; readonly noHistory?: string }> {
    if (stored === undefined)
      return { noHistory: "The run is not saved: give it a checkpointId, and its graph a store." };
    const { app, row } = stored;
    if (app === undefined) return { noHistory: `The graph "${row.graph}" is not among the apps.` };
    const found: SaveView[] = [];
    try {
      for await (const entry of app.graph.history(row.id, { limit: mostSaves }))
        found.push(saveView(entry, this.#info));
    } catch (error) {
      if (KumikoError.is(error) && error.code === "NO_HISTORY")
        return { noHistory: "Compile the graph with history: true to see its saves." };
      errors.push(withoutSecrets(messageOf(error)));
    }
    return { saves: found.reverse() };
  }

  async saves(
    stored: ReadRun,
    before: string,
  ): Promise<{ readonly saves: readonly SaveView[]; readonly more: boolean }> {
    const found: SaveView[] = [];
    const entries = stored.app?.graph.history(stored.row.id, { before, limit: mostSaves + 1 }) ?? [];
    for await (const entry of entries) found.push(saveView(entry, this.#info));
    return { saves: found.slice(0, mostSaves).reverse(), more: found.length > mostSaves };
  }

  async state({ app, row }: ReadRun, entry: string | undefined, path: string): Promise<StateView> {
    const state = await app?.graph.stateAt(row.id, entry);
    const { values, redact } = this.#parts;
    const show = (value: unknown, place: string) =>
      value === undefined ? {} : { [place]: values.view(wireView(value, { redact, path: [place] })) };
    return {
      entry: entry ?? "",
      path,
      ...show(state?.input, "input"),
      ...show(state?.state(path), "state"),
      ...show(state?.output(path), "output"),
    };
  }

  /** `withTalk`: with what was said before. */
  async questions(run: ReadRun, withTalk: boolean): Promise<QuestionView[]> {
    const said = withTalk ? await this.#said(run) : () => undefined;
    return run.questions.map((question) => this.#question(run, question, said));
  }

  #question(run: ReadRun, asked: Interrupt, said: (path: string) => readonly unknown[] | undefined): QuestionView {
    const { info, schema, expiresAt } = asked;
    const { redact } = this.#parts;
    const view = askedView(asked, this.#info);
    const tools = run.app === undefined ? {} : toolsOf(run.app.info);
    const name = isFields(info) ? info.toolName : undefined;
    const tool = Object.values(tools)
      .flat()
      .find((one: ToolView) => one.name === name);
    const before = said(view.path);
    return {
      ...view,
      run: this.storedRow(run),
      ...(schema !== undefined && { schema: schema as JsonSchema }),
      ...(tool !== undefined && { tool }),
      askedAt: run.row.since,
      ...(expiresAt !== undefined && { expiresAt }),
      ...(before !== undefined && {
        before: before.map((message) => wireView(message, { redact, path: ["messages"] }).value),
      }),
    };
  }

  /** The last messages of the agent that asks. */
  async #said({ app, row }: ReadRun): Promise<(path: string) => readonly unknown[] | undefined> {
    const state = await app?.graph.stateAt(row.id).catch(() => undefined);
    return (path) => {
      for (const at of [path.split("/").slice(0, -1).join("/"), path]) {
        const found = state?.state(at);
        if (isFields(found) && Array.isArray(found.log)) return found.log.slice(-10);
      }
      return undefined;
    };
  }
}

/** The graph of a run, if it is known. */
export function infoOf({ stored, live, unreadable }: KnownRun): GraphInfo | undefined {
  return (stored ?? unreadable?.run)?.app?.info ?? live?.info?.();
}

export function segmentView({ startedAt, endedAt, status }: LiveSpan): SegmentView {
  return {
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    status: status === "done" ? "finished" : status,
  };
}

function statusOf(root: LiveSpan | undefined): RunStatus {
  switch (root?.status) {
    case "running":
      return "running";
    case "failed":
      return "failed";
    case "waiting":
      return "waiting";
    default:
      return "finished";
  }
}

function isGraphKind(kind: string): kind is NonNullable<RunRow["component"]> {
  return ["graph", "chain", "workflow", "agent"].includes(kind);
}
