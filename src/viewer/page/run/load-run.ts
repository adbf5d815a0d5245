import type { RunView, SpanList, SpanView } from "../../api.js";
import type { Client } from "../client.js";
import { readRun } from "./run-model.js";

/** How many spans are asked for at a time. The server may give fewer. */
const atOnce = 1_000;

/** Loads a run with all its spans. They come in pages at once, and the browser gets its turn between all that takes long. */
export async function loadRun(client: Client, path: string): Promise<RunView> {
  const { moreSpans, spanCount = 0, ...view } = await client.get<RunView>(path);
  if (moreSpans === undefined) return view;
  const pages: Promise<readonly SpanView[]>[] = [];
  for (let from = view.spans.length; from < spanCount; from += atOnce) {
    // what has started since is on the last page
    const to = from + atOnce < spanCount ? from + atOnce : Number.POSITIVE_INFINITY;
    pages.push(loadSpans(client, moreSpans, from, to));
  }
  const whole = { ...view, spans: [...view.spans, ...(await Promise.all(pages)).flat()] };
  await turn();
  readRun(whole, Date.now());
  await turn();
  return whole;
}

async function loadSpans(client: Client, ref: string, start: number, to: number): Promise<readonly SpanView[]> {
  const spans: SpanView[] = [];
  for (let from = start, more = true; more && from < to; from = start + spans.length) {
    const range = { from: String(from), to: String(to) };
    const page = await client.get<SpanList>(`runs/${encodeURIComponent(ref)}/spans`, range);
    spans.push(...page.spans);
    more = page.more;
  }
  return spans;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
