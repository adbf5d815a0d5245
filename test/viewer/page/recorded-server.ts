// A server with recorded data, so that the page can be looked at in every state without a run.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { GraphInfo } from "../../../src/callbacks/graph-info.js";
import type {
  About,
  AppView,
  Can,
  DevState,
  QuestionView,
  RunRow,
  RunView,
  SaveList,
  TurnList,
} from "../../../src/viewer/api.js";
import { graphPicture, levelOf } from "../../../src/viewer/layout/graph-picture.js";
import { layoutGraph } from "../../../src/viewer/layout/layout-graph.js";
import { loadPageAssets } from "../../../src/viewer/page-assets.js";
import { pageHtml } from "../../../src/viewer/page-html.js";
import { allSpans, firstSpans, type SpanRange, spanPage, spanRange } from "../../../src/viewer/server/span-page.js";

interface Recorded {
  readonly view: RunView;
  readonly states: Readonly<Record<string, RunView["input"]>>;
  readonly approval: { readonly id: string; readonly address: string; readonly info: never; readonly schema: object };
  readonly ask: { readonly id: string; readonly address: string; readonly info: never; readonly schema: object };
  readonly workflow: AppView["graph"];
}

export const recorded: Recorded = JSON.parse(readFileSync(join(import.meta.dirname, "recorded-run.json"), "utf8"));

/** What a page asked for, and how it is answered. */
export interface RecordedServer {
  readonly url: string;
  readonly posts: { readonly path: string; readonly body: unknown }[];
  /** Answers of POST by path; else 202 with the run. */
  readonly answers: Map<string, { readonly status: number; readonly body: unknown }>;
  /** Tells open pages how the process of the app is. */
  tell(state: DevState): void;
  close(): Promise<void>;
}

export interface RecordedData {
  readonly can?: Can;
  readonly questions?: readonly QuestionView[];
  readonly rows?: readonly RunRow[];
  /** GET requests that are refused, by path. */
  readonly refused?: Readonly<Record<string, { readonly status: number; readonly message: string }>>;
  readonly views?: Readonly<Record<string, RunView>>;
  readonly apps?: Readonly<Record<string, GraphInfo>>;
  /** What comes before that of the views. */
  readonly older?: SaveList & TurnList;
  /** As `kumiko dev` says it. Without a process that runs, there are no apps. */
  readonly dev?: DevState;
}

const minute = 60_000;
/** Built once for all tests of a file. */
const builtAssets = loadPageAssets();

/** The recorded run in its states: finished, waiting, and others in the list. */
export function recordedData(now = Date.now()) {
  const { view } = recorded;
  const run = (name: string, status: RunRow["status"], ago: number, more: Partial<RunRow> = {}): RunRow => ({
    ...view.run,
    ref: `${name}-${status}`,
    checkpointId: `${name}-${Math.abs(ago).toString(16)}`,
    graph: name,
    app: name,
    status,
    since: now - ago,
    ...more,
  });
  const waiting: RunRow = { ...run("refund-desk", "waiting", 196 * minute), questions: 1 };
  const error = {
    name: "KumikoError",
    code: "NODE_FAILED",
    message: 'The node "fetch" failed: 503 from ledger.internal.',
  };
  const rows: RunRow[] = [
    run("stock-agent", "running", 4_000, { component: "agent" }),
    waiting,
    { ...view.run, since: now - 190 * minute },
    run("research-report", "failed", 26 * 60 * minute, { component: "workflow", error }),
    run("writer", "ready", 27 * 60 * minute, {
      component: "agent",
      usage: { promptTokens: 0, completionTokens: 0, cachedTokens: 0 },
    }),
    run("stock-agent", "finished", 29 * 60 * minute, { component: "agent" }),
    run("refund-desk", "cancelled", 50 * 60 * minute),
  ];
  return {
    rows,
    waiting,
    questions: recordedQuestions(now, waiting),
    view: withLevel(view),
    waitingView: waitingView(waiting),
  };
}

function recordedQuestions(now: number, run: RunRow): QuestionView[] {
  const { approval, ask } = recorded;
  const text = (value: unknown) => ({ value: value as never, size: JSON.stringify(value).length });
  const said =
    "The policy allows a full refund within 45 days when the carrier confirms the damage. I will refund the panel and leave the shipping fee.";
  const assistant = { role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: said }] };
  const first: QuestionView = {
    id: approval.id,
    run,
    address: approval.address,
    path: "investigate/tools",
    kind: "approval",
    key: "tool_approval",
    info: text(approval.info),
    schema: approval.schema as never,
    tool: {
      name: "issue_refund",
      description: "Refunds money to the customer's card.",
      kind: "local",
      approval: "always",
    },
    askedAt: now - 196 * minute,
    before: [assistant],
  };
  const second: QuestionView = {
    id: ask.id,
    run: { ...run, ref: "sign-off" },
    address: ask.address,
    path: "sign_off",
    kind: "ask",
    key: "sign",
    info: text(ask.info),
    schema: ask.schema as never,
    askedAt: now - 45 * minute,
  };
  const report = { ...run, ref: "report", app: "research-report", graph: "research-report" };
  return [
    first,
    second,
    {
      ...second,
      id: "text",
      kind: "text",
      path: "publish",
      run: report,
      info: text("Publish “Joinery without nails”?"),
      askedAt: now - 12 * minute,
      schema: {},
    },
    {
      ...second,
      id: "stop",
      kind: "stop",
      path: "publish",
      run: report,
      info: text({}),
      askedAt: now - 2 * minute,
      schema: {},
    },
  ];
}

function withLevel(view: RunView): RunView {
  const info = view.graphs[view.graph ?? ""];
  return info === undefined ? view : { ...view, level: layoutGraph(info) };
}

/** The run as it was when it waited for the first time. */
function waitingView(run: RunRow): RunView {
  const { view } = recorded;
  const [segment] = view.segments;
  const spans = view.spans.filter((span) => span.segment === 0);
  const saves = (view.saves ?? []).filter(({ at }) => at <= (segment?.endedAt ?? 0) + 10);
  const questions = recordedQuestions(Date.now(), run).slice(0, 1);
  return withLevel({ ...view, run, segments: segment === undefined ? [] : [segment], spans, saves, questions });
}

export async function serveRecorded(options: RecordedData = {}): Promise<RecordedServer> {
  const data = recordedData();
  const assets = await builtAssets;
  const posts: RecordedServer["posts"] = [];
  const answers: RecordedServer["answers"] = new Map();
  const views: Record<string, RunView> = {
    run_7f3a91: data.view,
    "refund-desk-waiting": data.waitingView,
    ...options.views,
  };
  const about: About = {
    version: 1,
    can: options.can ?? "act",
    user: "mori@hinoki.example",
    apps: [
      { key: "refund-desk", name: "refund-desk", component: "graph", keeps: "store" },
      { key: "research-report", name: "research-report", component: "workflow", keeps: "store" },
      { key: "investigate", name: "investigate", component: "agent", keeps: "session" },
    ],
    stores: ["main"],
    notices: [],
    isLive: false,
  };
  let { dev } = options;
  const open = new Set<ServerResponse>();
  const viewOf = (ref: string, inner: string | undefined, range: SpanRange): unknown => {
    const view = views[ref] ?? data.view;
    const all = spanPage(view.spans, inner === "spans" ? range : allSpans, (span) => span);
    const { spans, more } = inner === "spans" ? all : firstSpans(all, range);
    return inner === "spans"
      ? { spans, more }
      : { ...view, spans, ...(more && { moreSpans: ref, spanCount: view.spans.length }) };
  };
  const get = (path: string, search: URLSearchParams): unknown => {
    if (path === "about") return dev === undefined ? about : { ...about, ...devParts(dev, about), dev };
    const [, key = ""] = /^apps\/(\w+)/.exec(path) ?? [];
    const info = options.apps?.[key];
    if (info !== undefined && path.endsWith("/level")) return graphPicture(info, search.getAll("opened"));
    if (info !== undefined) {
      const { level: _level, ...app } = appOf(key);
      return { ...app, graph: info, ...levelOf(info) };
    }
    if (path === "questions") return { questions: options.questions ?? data.questions, errors: [] };
    if (path === "runs") {
      const rows = (options.rows ?? data.rows).filter(({ status }) => (search.get("status") ?? status) === status);
      const text = search.get("search") ?? "";
      return { runs: rows.filter(({ graph, ref }) => `${graph} ${ref}`.includes(text)) };
    }
    const [, ref, inner] = /^runs\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    if (inner === "saves" || inner === "turns") return options.older;
    if (inner === "state") {
      const entry = search.get("entry") ?? "";
      const state = recorded.states[entry];
      const at = search.get("path") ?? "";
      return {
        entry,
        path: at,
        ...(at === "" ? { state: { value: state, size: 1 } } : { output: { value: state, size: 1 } }),
      };
    }
    if (ref !== undefined) return viewOf(ref, inner, spanRange(search));
    return appOf(path.replace("apps/", ""));
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const headers = { "content-security-policy": policy };
    if (pathname === "/") return send(response, 200, pageHtml("/"), { ...headers, "content-type": "text/html" });
    if (pathname === "/assets/page.js") return send(response, 200, assets.page, { "content-type": "text/javascript" });
    if (pathname === "/assets/player.js")
      return send(response, 200, assets.player, { "content-type": "text/javascript" });
    if (pathname === "/assets/page.css") return send(response, 200, assets.style, { "content-type": "text/css" });
    const path = decodeURIComponent(pathname.replace("/api/", ""));
    const json = { "content-type": "application/json" };
    if (path === "live") {
      open.add(response.writeHead(200));
      response.flushHeaders();
      return undefined;
    }
    const refused = options.refused?.[path];
    if (refused !== undefined) {
      const error = { code: "REFUSED", message: refused.message };
      return send(response, refused.status, JSON.stringify({ error }), json);
    }
    if (request.method !== "POST") return send(response, 200, JSON.stringify(get(path, searchParams)), json);
    void readBody(request).then((body) => {
      posts.push({ path, body: JSON.parse(body) });
      const { status, body: answer } = answers.get(path) ?? { status: 202, body: { run: data.view.run, goesOn: true } };
      send(response, status, JSON.stringify(answer), json);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const tell = (state: DevState): void => {
    dev = state;
    for (const page of open) page.write(`${JSON.stringify({ type: "dev", id: -1, state })}\n`);
  };
  return { url: `http://127.0.0.1:${port}/`, posts, answers, tell, close };
}

/** Without a process that runs, there are no apps. */
function devParts({ status }: DevState, { apps }: About): Pick<About, "apps" | "isLive"> {
  return { apps: status === "running" ? apps : [], isLive: true };
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

function appOf(key: string): AppView {
  const graph = recorded.view.graphs["refund-desk"];
  const agent = graph?.nodes.find((node) => node.key === "investigate")?.graph;
  if (key === "research-report") {
    return {
      key,
      name: key,
      component: "workflow",
      keeps: "store",
      graph: recorded.workflow,
      level: layoutGraph(recorded.workflow),
    };
  }
  if (key === "investigate" && agent !== undefined) {
    const names = ["lookup_invoice", "search_orders", "get_policy", "issue_refund"];
    const tools = names.map((name) => ({
      name,
      description: `Does what ${name.replace("_", " ")} says.`,
      kind: "local" as const,
      parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      ...(name === "issue_refund" ? { approval: "always" as const } : {}),
    }));
    const instructions =
      "You investigate refund requests. Look at the invoice and at the order behind it before you decide.";
    return {
      key,
      name: key,
      component: "agent",
      keeps: "session",
      graph: agent,
      level: layoutGraph(agent),
      agent: {
        name: key,
        instructions,
        model: "openai/gpt-5-mini",
        tools,
        handoffs: [],
        middleware: ["toolCallLimit"],
        maxSteps: 20,
      },
    };
  }
  const info = graph ?? recorded.workflow;
  const input = {
    type: "object",
    properties: { from: { type: "string", format: "email", title: "From" }, body: { type: "string", maxLength: 4000 } },
    required: ["from", "body"],
  };
  return {
    key,
    name: key,
    component: "graph",
    keeps: "store",
    graph: info,
    level: layoutGraph(info),
    input: input as never,
  };
}

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string>): void {
  response.writeHead(status, { ...headers, "cache-control": "no-store" }).end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
