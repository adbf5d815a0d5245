import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isConflict } from "../../checkpoint/errors.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { KumikoError } from "../../errors.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { type AgentParts, reachableFrom } from "../agent-parts.js";
import type { AgentState } from "../agent-state.js";
import { storedResult } from "./stored-turn.js";
import { type RecordStatus, runIdOf, type StoredTurn, type TurnRecord, writeTurn } from "./turn-row.js";

/** The outcome of a turn. */
export interface TurnEnd {
  readonly state: AgentState | undefined;
  readonly messages: readonly AgenticMessage[];
  readonly interrupts?: readonly Interrupt[] | undefined;
  /** Of calls that have finished, of a round that waits. `undefined` if nothing has run: then they are as they were. */
  readonly results?: readonly AgenticMessage[] | undefined;
  readonly error?: unknown;
}

/** Errors that leave a question open. */
const stillWaiting: readonly string[] = [
  "ANSWER_MISMATCH",
  "UNKNOWN_INTERRUPT",
  "AMBIGUOUS_INTERRUPT",
  "ALREADY_ANSWERED",
  "UNKNOWN_TOOL",
];

/** A turn of a thread that this process runs. */
export class ThreadTurn {
  readonly threadId: string;
  /** Of the turns before this one. */
  readonly history: readonly AgenticMessage[];
  readonly #store: CheckpointStore;
  readonly #parts: AgentParts;
  /** Its record before it was resumed. */
  readonly #former: TurnRecord | undefined;
  #stored: StoredTurn;
  #isDone = false;

  constructor(
    store: CheckpointStore,
    parts: AgentParts,
    turn: {
      readonly threadId: string;
      readonly history: readonly AgenticMessage[];
      readonly stored: StoredTurn;
      readonly former?: TurnRecord | undefined;
    },
  ) {
    this.#store = store;
    this.#parts = parts;
    this.threadId = turn.threadId;
    this.history = turn.history;
    this.#stored = turn.stored;
    this.#former = turn.former;
  }

  get checkpointId(): string {
    return runIdOf(this.#stored.key);
  }

  /** Whether it may have ended before its run was saved for the first time. */
  get mayNotHaveBegun(): boolean {
    return this.#former?.status === "open" || this.#former?.notBegun === true;
  }

  /** Whether it ended in another way than by waiting: then all of its nodes may have ended. */
  get hasBrokenOff(): boolean {
    return this.#former !== undefined && this.#former.status !== "waiting";
  }

  get messages(): readonly AgenticMessage[] {
    return this.#stored.record.messages;
  }

  get kept(): Readonly<Record<string, unknown>> | undefined {
    return this.#stored.record.kept;
  }

  get active(): string {
    return this.#stored.record.agent;
  }

  /** Writes that the turn is done, once: before its checkpoint is removed, so that no crash in between loses the answer. */
  async finish(state: AgentState): Promise<void> {
    if (this.#isDone) return;
    await this.close("done", { state, messages: state.log });
    this.#isDone = true;
  }

  /** Writes the outcome of the turn, unless another process has taken it over. */
  async close(status: Exclude<RecordStatus, "open">, end: TurnEnd): Promise<void> {
    const { record, key, version } = this.#stored;
    const { owner, claim, interrupts, results, ...rest } = record;
    try {
      this.#stored = await writeTurn(this.#store, key, this.#closed(rest, status, { results, ...end }), version);
    } catch (error) {
      if (status === "done" || !isConflict(error)) throw error;
    } finally {
      runningClaims.close(claim);
    }
  }

  #closed(
    rest: TurnRecord,
    status: RecordStatus,
    { state, messages, interrupts, results, error }: TurnEnd,
  ): TurnRecord {
    const former = this.#former;
    // nothing has run, so it stays what it was; one without an owner can be resumed
    if (former !== undefined && (state === undefined || (former.status === "waiting" && leavesOpen(error)))) {
      return former.status === "open" ? { ...rest, status: "open" } : former;
    }
    if (state === undefined) return { ...rest, status, messages, notBegun: true };
    return {
      ...rest,
      status,
      messages,
      agent: state.active,
      usage: state.usage,
      usageByModel: state.usageByModel,
      result: storedResult(state),
      ...(status === "done" && { finishReason: state.end ?? "stop" }),
      ...(interrupts !== undefined && { interrupts, results }),
      ...keptOf(this.#parts, state, rest.kept),
    };
  }
}

function leavesOpen(error: unknown): boolean {
  return KumikoError.is(error) && stillWaiting.includes(error.code);
}

/** The states that live as long as the thread. */
export function keptOf(
  parts: AgentParts,
  { middleware }: AgentState,
  former: TurnRecord["kept"],
): Pick<TurnRecord, "kept"> {
  const names = reachableFrom(parts).flatMap((agent) =>
    agent.middleware.filter(({ scope }) => scope === "thread").map(({ name }) => name),
  );
  const kept: Record<string, unknown> = { ...former };
  for (const name of names) if (Object.hasOwn(middleware, name)) kept[name] = middleware[name];
  return Object.keys(kept).length === 0 ? {} : { kept };
}
