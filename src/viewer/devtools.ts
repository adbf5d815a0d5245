import type { Handler } from "../callbacks/handler.js";
import { checkOptions } from "../check-options.js";
import { KumikoError } from "../errors.js";
import { LiveRuns } from "./server/live-runs.js";
import type { LiveSpan } from "./server/live-span.js";
import { type ChunkMessage, type SpansRequest, spanMessage } from "./server/span-messages.js";

/** Options of {@link devtools}. */
export interface DevtoolsOptions {
  /** The whole address that `kumiko dev` prints. @default the environment variable `KUMIKO_VIEWER` */
  readonly url?: string | undefined;
}

/**
 * A handler that shows the runs of this process in an open `kumiko dev`. Without an address it does nothing. It never throws; a
 * viewer that does not answer is asked again later, and holds the end of the process up for a second at most.
 *
 * @example
 * const app = new Chain<string>().append((text) => text.trim()).compile({ name: "trim", callbacks: [devtools()] });
 */
export function devtools(options: DevtoolsOptions = {}): Handler {
  checkOptions("devtools", options, { url: [(url) => typeof url === "string", "the address that kumiko dev prints"] });
  const { url = variable("KUMIKO_VIEWER") } = options;
  if (url === undefined || url === "") return {};
  const sender = new Sender(addressOf(url));
  const listener = {
    onSpan: (_run: unknown, span: LiveSpan) => sender.span(span),
    onChunk: (run: { readonly key: string }, span: LiveSpan, at: number, text: string) =>
      sender.chunk({ run: run.key, span: span.id, at, text }),
    onDrop: () => undefined,
  };
  // what was sent is kept there
  return new LiveRuns(listener, undefined, { runs: 0, bytes: Number.POSITIVE_INFINITY, value: longestValue });
}

const longestValue = 1_000_000;
const mostEvents = 1_000;
/** How much is sent at once. */
const longestBatch = 4_000_000;
const timeoutMs = 1_000;
const retryMs = 2_000;

interface Address {
  readonly url: string;
  readonly token: string;
}

function addressOf(given: string): Address {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const token = url?.hash.slice(1) ?? "";
  if (url === undefined || token === "" || !url.protocol.startsWith("http"))
    throw new KumikoError(
      "INVALID_OPTION",
      "devtools needs the whole address that kumiko dev prints, with the token after #, such as http://127.0.0.1:4600/#k3…. Pass it as url, or set KUMIKO_VIEWER.",
    );
  return { url: new URL("/api/spans", url).href, token };
}

function variable(name: string): string | undefined {
  const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string>> } };
  return process?.env?.[name];
}

/** Sends what happens, one request after the other. Of a span that has changed before it was sent, only the last state is. */
class Sender {
  readonly #address: Address;
  /** Spans that have changed. */
  #spans = new Set<LiveSpan>();
  #chunks: ChunkMessage[] = [];
  #lost = 0;
  #isSending = false;
  #pausedUntil = 0;

  constructor(address: Address) {
    this.#address = address;
  }

  span(span: LiveSpan): void {
    this.#spans.add(span);
    this.#limit();
    this.#begin();
  }

  chunk(chunk: ChunkMessage): void {
    const last = this.#chunks.at(-1);
    // text that was not sent yet grows
    if (last?.span === chunk.span) this.#chunks[this.#chunks.length - 1] = { ...last, text: last.text + chunk.text };
    else this.#chunks.push(chunk);
    this.#limit();
    this.#begin();
  }

  /** The oldest go first, texts before spans. */
  #limit(): void {
    while (this.#spans.size + this.#chunks.length > mostEvents) {
      this.#lost += 1;
      if (this.#chunks.length > 0) this.#chunks.shift();
      else this.#spans.delete(this.#spans.values().next().value as LiveSpan);
    }
  }

  #begin(): void {
    if (this.#isSending || Date.now() < this.#pausedUntil) return;
    this.#isSending = true;
    // after what happens now, so that a span that starts and ends at once is one message
    queueMicrotask(() => void this.#send());
  }

  async #send(): Promise<void> {
    while (this.#spans.size + this.#chunks.length > 0) {
      const taken = this.#take();
      if (await this.#post({ spans: taken.map(spanMessage), chunks: this.#takeChunks(), lost: this.#lost })) {
        this.#lost = 0;
        continue;
      }
      // parents before what is inside them
      this.#spans = new Set([...taken, ...this.#spans]);
      this.#limit();
      this.#pausedUntil = Date.now() + retryMs;
      break;
    }
    this.#isSending = false;
  }

  /** Whether it has arrived. */
  async #post(body: SpansRequest): Promise<boolean> {
    try {
      const answer = await fetch(this.#address.url, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${this.#address.token}` },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await answer.body?.cancel();
      return answer.ok;
    } catch {
      return false;
    }
  }

  #take(): readonly LiveSpan[] {
    const taken: LiveSpan[] = [];
    let size = 0;
    for (const span of this.#spans) {
      if (size > longestBatch) break;
      this.#spans.delete(span);
      size += 500 + (span.input?.size ?? 0) + (span.output?.size ?? 0);
      taken.push(span);
    }
    return taken;
  }

  /** Texts come after the spans that they are in. */
  #takeChunks(): readonly ChunkMessage[] {
    if (this.#spans.size > 0) return [];
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }
}
