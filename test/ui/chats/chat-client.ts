import { setTimeout as sleep } from "node:timers/promises";
import {
  AbstractChat,
  type ChatInit,
  DefaultChatTransport,
  isToolUIPart,
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";

class ChatMessages {
  status = "ready" as const;
  error: Error | undefined;
  messages: UIMessage[];
  snapshot = structuredClone;

  constructor(messages: UIMessage[]) {
    this.messages = messages;
  }

  pushMessage(message: UIMessage): void {
    this.messages = [...this.messages, message];
  }

  popMessage(): void {
    this.messages = this.messages.slice(0, -1);
  }

  replaceMessage(index: number, message: UIMessage): void {
    this.messages = this.messages.with(index, structuredClone(message));
  }
}

/** The chat behind `useChat`, without React. */
class Chat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ ...init, state: new ChatMessages(messages) });
  }
}

/** An open question, and the answer that this client gives. */
interface Question {
  readonly kind: "approval" | "tool";
  readonly id: string;
}

export interface ClientOptions {
  /** The address of the chat: `http://…/<name>`. */
  readonly url: string;
  readonly id: string;
  /** After how many chunks, of all responses so far, the page is loaded again; the smallest first. @default never */
  readonly cuts?: readonly number[] | undefined;
  /** Called as the page is closed, and as the loaded one has asked for what it missed. */
  readonly onCut?: (() => void | Promise<void>) | undefined;
  readonly onBack?: (() => void) | undefined;
  /** Called where a request has failed, before the page is loaded again; may give the address to go on with. */
  readonly onFailure?: ((lastBody: string | undefined) => Promise<{ readonly url: string } | undefined>) | undefined;
  /** Whether questions are answered together, or in a request each. */
  readonly answers: "together" | "apart";
  /** What is answered: that the user agrees, and where the user is; or that the user does not, and that it cannot be told. */
  readonly agrees?: boolean | undefined;
  /** Where a loaded page asks for what it missed. */
  readonly missed?: "chat" | "whole" | undefined;
  /** Where a page is loaded from, if not where it asks. */
  readonly loadUrl?: string | undefined;
}

/** A page with a chat: it asks, answers, and may be loaded again. */
export class Client {
  #options: ClientOptions;
  readonly #cuts: number[];
  #page: Page;
  /** Of the last request that asked or answered something. */
  #lastBody: string | undefined;
  /** The chunks of all responses so far. */
  chunks = 0;
  /** How often the page was closed. */
  closed = 0;
  /** How many chunks came as what a loaded page had missed. */
  replayed = 0;
  /** The statuses of all requests that failed. */
  readonly failures: number[] = [];

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#cuts = [...(options.cuts ?? [])];
    this.#page = this.#open([]);
  }

  get #chat(): Chat {
    return this.#page.chat;
  }

  get url(): string {
    return this.#options.url;
  }

  get messages(): readonly UIMessage[] {
    return this.#chat.messages;
  }

  /** Asks, and answers all questions, until the turn is over. */
  async ask({ id, text }: { readonly id: string; readonly text: string }): Promise<void> {
    const prompt = () => this.#chat.sendMessage({ id, role: "user", parts: [{ type: "text", text }] });
    await this.#do(prompt);
    for (let tries = 0; tries < 200; tries++) {
      const last = this.#chat.lastMessage;
      const isMine = this.#chat.messages.some((message) => message.id === id);
      if (!isMine) await this.#again(prompt, tries);
      else if (last?.role !== "assistant" || this.#chat.status === "error") await this.#again(undefined, tries);
      else if (this.#questions().length > 0) await this.#do(() => this.#answer());
      else if (isOver(last)) return;
      else await this.#do(() => this.#chat.sendMessage());
    }
    throw new Error(`The turn of ${text} does not end: ${JSON.stringify(this.#chat.lastMessage)}`);
  }

  /** A request has failed, or shows nothing yet: the page is loaded again, after a while. */
  async #again(prompt: (() => Promise<void>) | undefined, tries: number): Promise<void> {
    if (tries > 0) await sleep(Math.min(100, 5 * 2 ** tries));
    if (this.#chat.status === "error") {
      const { url = this.#options.url } = (await this.#options.onFailure?.(this.#lastBody)) ?? {};
      this.#options = { ...this.#options, url };
    }
    await this.reload();
    if (prompt !== undefined && tries > 3 && this.#chat.lastMessage?.role !== "user") await this.#do(prompt);
  }

  /** Does something that requests a response. The page is loaded again if it was closed meanwhile. */
  async #do(work: () => Promise<void>): Promise<void> {
    const page = this.#page;
    if (this.#isDue()) setImmediate(() => this.#close(page));
    await Promise.race([work(), page.closed]);
    if (!page.isClosed) return;
    await this.#options.onCut?.();
    void page.chat.stop();
    const back = this.reload();
    this.#options.onBack?.();
    await back;
  }

  /** Throws away what the page has, and loads it. */
  async reload(): Promise<void> {
    const { url, loadUrl = url, id } = this.#options;
    this.#page = this.#open(await loadedFrom(`${loadUrl}/chat/${encodeURIComponent(id)}`));
    await this.#do(() => this.#chat.resumeStream());
  }

  #open(messages: UIMessage[]): Page {
    const { url, loadUrl = url, id, missed = "chat" } = this.#options;
    const abort = new AbortController();
    const chat = new Chat({
      id,
      messages,
      transport: new DefaultChatTransport({
        api: `${url}/chat`,
        prepareReconnectToStreamRequest: () => ({ api: `${loadUrl}/${missed}/${encodeURIComponent(id)}/stream` }),
        fetch: (address, init) => this.#fetch(String(address), init),
      }),
    });
    const closed = new Promise<void>((resolve) => abort.signal.addEventListener("abort", () => resolve()));
    return {
      ...{ chat, abort, closed },
      get isClosed() {
        return abort.signal.aborted;
      },
    };
  }

  async #fetch(address: string, init: RequestInit | undefined): Promise<Response> {
    const page = this.#page;
    if (init?.method === "POST") this.#lastBody = String(init.body);
    const signals = [page.abort.signal, ...(init?.signal ? [init.signal] : [])];
    const response = await fetch(address, { ...init, signal: AbortSignal.any(signals) });
    if (!response.ok) this.failures.push(response.status);
    if (!response.ok || response.body === null) return response;
    return new Response(response.body.pipeThrough(this.#counted(page, init?.method !== "POST")), response);
  }

  /** Lets each event through on its own, and none once the page is closed. */
  #counted(page: Page, isReplay: boolean): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder();
    let text = "";
    return new TransformStream({
      transform: (bytes, to) => {
        text += decoder.decode(bytes, { stream: true });
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) {
          if (page.isClosed) return;
          this.chunks += 1;
          if (isReplay) this.replayed += 1;
          to.enqueue(new TextEncoder().encode(`${event}\n\n`));
          if (this.#isDue()) this.#close(page);
        }
      },
    });
  }

  #isDue(): boolean {
    return this.#cuts[0] !== undefined && this.#cuts[0] <= this.chunks;
  }

  #close(page: Page): void {
    if (page.isClosed || !this.#isDue()) return;
    this.#cuts.shift();
    this.closed += 1;
    page.abort.abort(new Error("The page was closed."));
  }

  #questions(): Question[] {
    const { parts = [] } = this.#chat.lastMessage ?? {};
    const asked = parts.flatMap((part) => {
      if (part.type !== "data-interrupt") return [];
      const { info, toolCallId } = part.data as { info?: { kind?: string }; toolCallId?: string };
      return info?.kind === "client_tool" ? [toolCallId] : [];
    });
    return parts.flatMap((part): Question[] => {
      if (!isToolUIPart(part)) return [];
      if (part.state === "approval-requested") return [{ kind: "approval", id: part.approval.id }];
      return part.state === "input-available" && asked.includes(part.toolCallId)
        ? [{ kind: "tool", id: part.toolCallId }]
        : [];
    });
  }

  async #answer(): Promise<void> {
    const { answers, agrees = true } = this.#options;
    const chat = this.#chat;
    const questions = this.#questions();
    for (const { kind, id } of answers === "together" ? questions : questions.slice(0, 1)) {
      const tool = { tool: "where" as never, toolCallId: id };
      if (kind === "approval") await chat.addToolApprovalResponse({ id, approved: agrees });
      else if (agrees) await chat.addToolOutput({ ...tool, output: { city: "Kyoto" } as never });
      else await chat.addToolOutput({ ...tool, state: "output-error", errorText: "It is not known." });
    }
    await chat.sendMessage();
  }
}

/** The messages of a page that is loaded, again if that fails. */
export async function loadedFrom(url: string, tries = 5): Promise<UIMessage[]> {
  const response = await fetch(url);
  if (response.ok || tries === 0) return response.json() as Promise<UIMessage[]>;
  return loadedFrom(url, tries - 1);
}

/** The message that a response tells. */
export async function messageOf(response: Response): Promise<UIMessage> {
  const parsed = parseJsonEventStream({ stream: response.body as ReadableStream, schema: uiMessageChunkSchema });
  const stream = parsed.pipeThrough(
    new TransformStream({ transform: (part, to) => to.enqueue((part as { value: UIMessageChunk }).value) }),
  ) as ReadableStream<UIMessageChunk>;
  let last: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream })) last = state;
  return last as UIMessage;
}

interface Page {
  readonly chat: Chat;
  readonly abort: AbortController;
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
}

function isOver({ metadata }: UIMessage): boolean {
  const { finishReason } = (metadata ?? {}) as { finishReason?: string };
  return finishReason !== undefined && finishReason !== "waiting";
}

/**
 * What the refill law compares: not the ids of parts, data parts, metadata of providers, the approvals of answered calls, nor calls
 * of inner agents, unless they ask.
 */
export function comparable(messages: readonly { parts: readonly object[]; metadata?: unknown }[]): unknown {
  const partOf = (part: object): object[] => {
    const { id, preliminary, approval, rawInput, ...fields } = part as Record<string, unknown>;
    for (const name of Object.keys(fields)) if (/[mM]etadata$/.test(name)) delete fields[name];
    if (String(fields.type).startsWith("data-")) return [];
    if (fields.state === "approval-requested") return [{ ...fields, approval }];
    return String(fields.toolCallId).includes("/") ? [] : [fields];
  };
  // a page that goes on with a turn has a reason why it ended beside the status that it was loaded with
  const metadataOf = ({ status, ...metadata }: Record<string, unknown>): object =>
    metadata.finishReason === undefined && status !== undefined ? { ...metadata, status } : metadata;
  const shown = ({ parts, metadata, ...message }: (typeof messages)[number]): object => ({
    ...message,
    ...(metadata !== undefined && { metadata: metadataOf(metadata as Record<string, unknown>) }),
    parts: parts.flatMap(partOf),
  });
  return JSON.parse(JSON.stringify(messages.map(shown)));
}
