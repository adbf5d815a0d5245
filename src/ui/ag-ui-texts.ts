import type { AgentEvent, EventPlace } from "../agents/agent-event.js";
import type { AgUiEvent } from "./ag-ui-event.js";

type Kind = "text" | "reasoning";

/** Converts text and reasoning deltas to AG-UI messages, which have a start and an end event. */
export class AgUiTexts {
  readonly #run: string;
  /** The messages that are being written, by their ids, with the run that writes them. */
  readonly #open = new Map<string, { readonly kind: Kind; readonly runId: string }>();
  /** The messages of the current step of each run, which a restart makes void. */
  readonly #written = new Map<string, { readonly step: number; readonly ids: string[] }>();
  #restarts = 0;

  constructor(run: string) {
    this.#run = run;
  }

  add(event: Extract<AgentEvent, { type: "text_delta" | "reasoning_delta" }>): AgUiEvent[] {
    if (event.delta === "") return []; // AG-UI does not allow empty deltas
    const kind = event.type === "text_delta" ? "text" : "reasoning";
    const messageId = this.#idOf(event, kind);
    const content = { type: contentOf[kind], messageId, delta: event.delta };
    if (this.#open.has(messageId)) return [content];
    this.#open.set(messageId, { kind, runId: event.runId });
    this.#note(event, messageId);
    return [...startOf(kind, messageId), content];
  }

  /** Ends the open messages of a run. */
  close({ runId }: EventPlace): AgUiEvent[] {
    return this.#end([...this.#open].filter(([, open]) => open.runId === runId));
  }

  closeAll(): AgUiEvent[] {
    return this.#end([...this.#open]);
  }

  /** Ends the open messages of a run, and returns the messages of its step, which are void. */
  restart(event: EventPlace): { readonly ended: AgUiEvent[]; readonly messageIds: readonly string[] } {
    const ended = this.close(event);
    const written = this.#written.get(event.runId);
    this.#written.delete(event.runId);
    this.#restarts += 1;
    return { ended, messageIds: written?.step === event.step ? written.ids : [] };
  }

  #end(open: readonly (readonly [string, { readonly kind: Kind }])[]): AgUiEvent[] {
    for (const [id] of open) this.#open.delete(id);
    return open.flatMap(([messageId, { kind }]) => endOf(kind, messageId));
  }

  #note({ runId, step }: EventPlace, messageId: string): void {
    const written = this.#written.get(runId);
    if (written?.step === step) written.ids.push(messageId);
    else this.#written.set(runId, { step, ids: [messageId] });
  }

  /** Message ids must be unique in a thread, so they start with the run id. */
  #idOf({ step, index, runId, agentPath }: EventPlace & { readonly index: number }, kind: Kind): string {
    const inner = agentPath.length > 1 ? [runId] : [];
    return [this.#run, ...inner, kind, step, index, ...(this.#restarts === 0 ? [] : [this.#restarts])].join("-");
  }
}

const contentOf = { text: "TEXT_MESSAGE_CONTENT", reasoning: "REASONING_MESSAGE_CONTENT" } as const;

function startOf(kind: Kind, messageId: string): AgUiEvent[] {
  if (kind === "text") return [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }];
  return [
    { type: "REASONING_START", messageId },
    { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
  ];
}

function endOf(kind: Kind, messageId: string): AgUiEvent[] {
  if (kind === "text") return [{ type: "TEXT_MESSAGE_END", messageId }];
  return [
    { type: "REASONING_MESSAGE_END", messageId },
    { type: "REASONING_END", messageId },
  ];
}
