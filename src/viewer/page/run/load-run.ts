import type { RunView, SpanList, SpanView } from "../../api.js";
import type { Client } from "../client.js";
import { readRun } from "./run-model.js";

/** Loads a run with all its spans. They come in pages, and the browser gets its turn between all that takes long. */
export async function loadRun(client: Client, path: string): Promise<RunView> {
  const { moreSpans, ...view } = await client.get<RunView>(path);
  if (moreSpans === undefined) return view;
  const spans: SpanView[] = [...view.spans];
  for (let more = true; more; ) {
    const page = await client.get<SpanList>(`runs/${encodeURIComponent(moreSpans)}/spans`, {
      from: String(spans.length),
    });
    spans.push(...page.spans);
    more = page.more;
  }
  const whole = { ...view, spans };
  await turn();
  readRun(whole, Date.now());
  await turn();
  return whole;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
