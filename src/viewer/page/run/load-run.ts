import type { RunView, SpanList, SpanView } from "../../api.js";
import type { Client } from "../client.js";
import { readRun } from "./run-model.js";

/** How many spans are asked for at a time. The server may give fewer. */
const atOnce = 1_000;
/** How many spans of a run the conversation is read from that is seen first: that at its end. */
const lastOnes = 500;

/** The run that a page was opened for. */
const early = new WeakMap<Client, { readonly path: string; readonly run: Promise<RunView> }>();

export const runPath = (ref: string): string => `runs/${encodeURIComponent(ref)}`;

/** Begins to load a run before there is anything that shows it. */
export function loadEarly(client: Client, path: string): void {
  const run = loadRun(client, path, true);
  // whoever shows it hears of that
  run.catch(() => undefined);
  early.set(client, { path, run });
}

interface Asked {
  readonly from: number;
  readonly to: number;
  readonly hasValues?: boolean;
}

/**
 * Loads a run with all its spans. They come in pages at once, and the browser gets its turn between all that takes long. To show it
 * sooner, `isBrief` leaves the values of most spans for {@link loadValues}.
 */
export async function loadRun(client: Client, path: string, isBrief: boolean): Promise<RunView> {
  const begun = early.get(client);
  early.delete(client);
  if (isBrief && begun?.path === path) return begun.run;
  const view = await client.get<RunView>(path, { values: isBrief ? "0" : undefined });
  const { moreSpans, spanCount = 0 } = view;
  if (moreSpans === undefined) return view;
  const pages: Promise<readonly SpanView[]>[] = [];
  const last = Math.max(view.spans.length, spanCount - lastOnes);
  for (let from = view.spans.length; from < last; from += atOnce) {
    const to = Math.min(last, from + atOnce);
    pages.push(loadSpans(client, moreSpans, { from, to, hasValues: !isBrief }));
  }
  // with what has started since
  pages.push(loadSpans(client, moreSpans, { from: last, to: Number.POSITIVE_INFINITY }));
  const whole = { ...view, spans: [...view.spans, ...(await Promise.all(pages)).flat()] };
  await turn();
  readRun(whole, Date.now());
  await turn();
  return whole;
}

/** Loads the values that a run came without. Returns what puts them into the run, whatever else has become of it. */
export async function loadValues(
  client: Client,
  { spans, moreSpans = "" }: RunView,
): Promise<(run: RunView) => RunView> {
  const end = spans.findLastIndex(isPartial) + 1;
  const whole = new Map<string, SpanView>();
  for (let from = spans.findIndex(isPartial); from < end; from += atOnce) {
    const to = Math.min(end, from + atOnce);
    for (const span of await loadSpans(client, moreSpans, { from, to })) whole.set(span.id, span);
  }
  return (run) => {
    if (!run.spans.some(isPartial)) return run;
    const filled = run.spans.map((span) => (isPartial(span) ? (whole.get(span.id) ?? span) : span));
    return { ...run, spans: filled };
  };
}

export function isPartial(span: SpanView): boolean {
  return span.isPartial === true;
}

async function loadSpans(
  client: Client,
  ref: string,
  { from: start, to, hasValues = true }: Asked,
): Promise<readonly SpanView[]> {
  const spans: SpanView[] = [];
  for (let from = start, more = true; more && from < to; from = start + spans.length) {
    const range = { from: String(from), to: String(to), values: hasValues ? undefined : "0" };
    const page = await client.get<SpanList>(`${runPath(ref)}/spans`, range);
    spans.push(...page.spans);
    more = page.more;
  }
  return spans;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
