import type { Handler } from "../../callbacks/handler.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { type Interrupt, InterruptError } from "../../checkpoint/pause/interrupt.js";
import type { RequestContext } from "../../components/request-context.js";
import type { CompiledGraph } from "../../compose/compiled-graph.js";
import { endsRun, KumikoError, messageOf } from "../../errors.js";
import { type Fields, isFields } from "../../is.js";
import { savedAs } from "../../run/options/checkpoint-options.js";
import type { SchemaValidator } from "../../schema/schema-validator.js";
import { type CallRecord, CallRecords, type ClientQuestions } from "./call-records.js";
import { type CallSession, type CallSessions, type CallState, hasCapability } from "./call-session.js";
import { issuesText, ownError, rejectedAnswer } from "./client-text.js";
import {
  type ClientQuestion,
  type ClientReply,
  neededFor,
  questionOf,
  questionText,
  readReply,
  requestOf,
} from "./forms.js";
import type { ProgressReporter } from "./progress.js";
import type { ServerContext } from "./sdk.js";
import { invalidState, tooManyPending } from "./wire-error.js";

/** The graph that a request runs. Its output is the result of the request. */
export interface CallProgram {
  /** The name of the tool or prompt. */
  readonly name: string;
  readonly graph: CompiledGraph<never, Fields>;
  /** Ends a call that has no result: returns an error result, or throws. */
  refused(text: string): Fields;
}

/** A request, with its client and the means to report progress. */
export interface CallRequest {
  readonly sdk: ServerContext;
  readonly isModern: boolean;
  readonly capabilities: Fields;
  readonly requestContext: RequestContext;
  readonly signal: AbortSignal;
  readonly progress: ProgressReporter;
  /** Why the client cannot be asked, for clients of older revisions; `undefined` if it can be. */
  readonly cannotAskReason: string | undefined;
}

export interface RunnerOptions {
  readonly store: CheckpointStore;
  readonly ttlMs: number;
  readonly maxPending: number;
  readonly validator: SchemaValidator;
  readonly sessions: CallSessions;
  /** Signs the request state that is sent to the client. */
  readonly sign: (state: CallState, sdk: ServerContext) => Promise<string>;
}

const maxMismatches = 3;

/** Runs requests, saves those that ask a question, and continues them when the answers arrive. */
export class CallRunner {
  readonly records: CallRecords;
  readonly #options: RunnerOptions;
  readonly #running = new Map<string, Promise<Fields>>();

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.records = new CallRecords(options.store);
  }

  /** Runs a new call. Nothing is saved unless it asks a question. */
  async start(
    program: CallProgram,
    request: CallRequest,
    checkpointId: string,
    run: (options: object) => Promise<Fields>,
  ): Promise<Fields> {
    const session = this.#begin(request, { checkpointId, round: 0, name: program.name });
    try {
      return await run(savedAs({ ...runOptions(request), checkpointId }, { isPassing: true, isUnlisted: true }));
    } catch (error) {
      if (!InterruptError.is(error)) throw error;
      return this.#ask(program, session, request, error.interrupts, newRecord);
    }
  }

  /**
   * Continues a call with the answers of the client. A repeated request gets the same reply; while the first one runs, it
   * waits.
   */
  async answer(program: CallProgram, request: CallRequest, state: CallState): Promise<Fields> {
    if (state.name !== program.name) throw invalidState();
    const key = `${state.checkpointId}#${state.round}`;
    for (;;) {
      const running = this.#running.get(key);
      if (running === undefined) break;
      try {
        return await running;
      } catch (error) {
        request.signal.throwIfAborted();
        if (!isAbort(error)) throw error;
      }
    }
    const answering = this.#answer(program, request, state);
    this.#running.set(key, answering);
    try {
      return await answering;
    } finally {
      this.#running.delete(key);
    }
  }

  /** Saves the outcome of an answered call before it ends, in case the same answer is sent again. */
  async #keepFinal({ checkpointId, round }: CallState, final: Fields): Promise<void> {
    if (round === 0) return;
    const record = await this.records.read(checkpointId);
    if (record !== undefined) await this.records.write(checkpointId, { ...record, final });
  }

  async #answer(program: CallProgram, request: CallRequest, state: CallState): Promise<Fields> {
    const { checkpointId, round } = state;
    const record = await this.records.read(checkpointId);
    if (record === undefined) throw invalidState();
    const known = await this.#earlierReply(record, state, request);
    if (known !== undefined) return known;
    const questions = record.asks[round - 1];
    if (questions === undefined) throw invalidState();
    const { answers, mismatches, isDeclined } = await this.#read(questions, request);
    if (isDeclined)
      return this.#refuse(program, checkpointId, record, "The question was declined, so the call has ended.");
    if (Object.keys(mismatches).length === 0 && Object.keys(answers).length === 0)
      return this.#repeatQuestions(record, state, request);
    const hasMismatch = Object.keys(mismatches).length > 0;
    const counted = hasMismatch ? { ...record, mismatchCount: record.mismatchCount + 1 } : record;
    if (counted.mismatchCount >= maxMismatches)
      return this.#refuse(program, checkpointId, counted, tooManyMismatches(questions, mismatches));
    if (hasMismatch) await this.records.write(checkpointId, counted);
    if (Object.keys(answers).length === 0)
      return this.#askAgain(counted, state, request, withReasons(questions, mismatches));
    return this.#resume(program, request, state, counted, answers, mismatches);
  }

  /** The reply that this round already had, in this process or another. */
  async #earlierReply(record: CallRecord, state: CallState, request: CallRequest): Promise<Fields | undefined> {
    const { round } = state;
    if (round < record.asks.length) return this.#repeatQuestions(record, { ...state, round: round + 1 }, request);
    return record.final;
  }

  async #repeatQuestions(record: CallRecord, state: CallState, request: CallRequest): Promise<Fields> {
    const questions = record.asks[state.round - 1];
    if (questions === undefined) throw invalidState();
    return this.#inputRequired(questions, state, request);
  }

  async #askAgain(
    record: CallRecord,
    state: CallState,
    request: CallRequest,
    questions: ClientQuestions,
  ): Promise<Fields> {
    const asks = [...record.asks, questions];
    await this.records.write(state.checkpointId, { ...record, asks, expires: this.#expires() });
    return this.#inputRequired(questions, { ...state, round: asks.length }, request);
  }

  async #read(questions: ClientQuestions, { sdk }: CallRequest): Promise<Replies> {
    const { inputResponses = {}, droppedInputResponseKeys = [] } = sdk.mcpReq;
    const answers: Record<string, unknown> = {};
    const mismatches: Record<string, string> = {};
    for (const [key, question] of Object.entries(questions)) {
      const given = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
      const reply = readReply(question, given);
      if (reply.kind === "declined") return { answers: {}, mismatches: {}, isDeclined: true };
      const problem = await this.#problemOf(question, reply, droppedInputResponseKeys.includes(key));
      if (problem !== undefined) mismatches[question.id] = problem;
      else if (reply.kind === "answer") answers[question.id] = reply.answer;
    }
    return { answers, mismatches, isDeclined: false };
  }

  /** Why a reply does not answer the question; `undefined` if it does, or if there is no reply yet. */
  async #problemOf({ schema }: ClientQuestion, reply: ClientReply, isDropped: boolean): Promise<string | undefined> {
    if (reply.kind === "mismatch") return reply.reason;
    if (reply.kind !== "answer") return isDropped ? "it does not have the form of a reply" : undefined;
    if (schema === undefined) return undefined;
    const issues = (await this.#options.validator.compile(schema))(reply.answer);
    return issues && issuesText(issues);
  }

  async #resume(
    program: CallProgram,
    request: CallRequest,
    state: CallState,
    record: CallRecord,
    given: Readonly<Record<string, unknown>>,
    mismatches: Reasons,
  ): Promise<Fields> {
    const { checkpointId } = state;
    let answers: Readonly<Record<string, unknown>> | undefined = given;
    let reasons = mismatches;
    for (;;) {
      const session = this.#begin(request, state);
      try {
        return await program.graph.resume(checkpointId, answers, runOptions(request));
      } catch (error) {
        if (InterruptError.is(error)) {
          const current = (await this.records.read(checkpointId)) ?? record;
          return this.#ask(program, session, request, error.interrupts, current, reasons);
        }
        const rejected = rejectedAnswer(error);
        const code = KumikoError.is(error) ? error.code : undefined;
        if (code === "ALREADY_ANSWERED" || code === "UNKNOWN_INTERRUPT") {
          if (answers === undefined) throw error;
          answers = undefined; // another process received the answers and crashed
        } else if (code === "CHECKPOINT_IN_USE" || code === "UNKNOWN_CHECKPOINT" || code === "CHECKPOINT_CONFLICT") {
          const known = await this.#replyOfOtherProcess(state, request, code === "UNKNOWN_CHECKPOINT");
          if (known !== undefined) return known;
        } else if (rejected !== undefined && answers !== undefined) {
          const mismatchCount = record.mismatchCount + 1;
          reasons = { ...mismatches, ...Object.fromEntries(Object.keys(answers).map((id) => [id, rejected])) };
          const questions = record.asks[state.round - 1] ?? {};
          if (mismatchCount >= maxMismatches)
            return this.#refuse(program, checkpointId, record, tooManyMismatches(questions, reasons));
          await this.records.write(checkpointId, { ...record, mismatchCount });
          answers = undefined; // resuming without answers rejects with the open questions
        } else {
          request.signal.throwIfAborted();
          await this.records.forget(checkpointId);
          if (endsRun(error)) throw error;
          return program.refused(messageOf(ownError(error)));
        }
      }
    }
  }

  /** Another process runs the call: returns its reply, or `undefined` to try again. */
  async #replyOfOtherProcess(state: CallState, request: CallRequest, isGone: boolean): Promise<Fields | undefined> {
    const record = await this.records.read(state.checkpointId);
    if (record === undefined) throw invalidState();
    const known = await this.#earlierReply(record, state, request);
    if (known !== undefined) return known;
    if (isGone) throw invalidState();
    await new Promise((resolve) => setTimeout(resolve, 50));
    request.signal.throwIfAborted();
    return undefined;
  }

  async #ask(
    program: CallProgram,
    session: CallSession,
    request: CallRequest,
    interrupts: readonly Interrupt[],
    record: CallRecord,
    reasons: Reasons = {},
  ): Promise<Fields> {
    const { checkpointId } = session.state;
    const questions = withReasons(questionsOf(interrupts), reasons);
    const missing = Object.values(questions)
      .map(neededFor)
      .find((needed) => !hasCapability(request.capabilities, needed));
    if (missing === "sampling" || missing === "roots") {
      // the SDK replies with the protocol error for a missing capability
      await this.records.forget(checkpointId);
      return this.#inputRequired(questions, { ...session.state, round: 1 }, request);
    }
    if (missing !== undefined || request.cannotAskReason !== undefined) {
      await this.records.forget(checkpointId);
      return program.refused(cannotAskText(missing, request.cannotAskReason, questions));
    }
    if (record === newRecord && this.records.waiting >= this.#options.maxPending) {
      await this.records.forget(checkpointId);
      throw tooManyPending(this.#options.maxPending);
    }
    return this.#askAgain(record, session.state, request, questions);
  }

  async #inputRequired(questions: ClientQuestions, state: CallState, { sdk }: CallRequest): Promise<Fields> {
    const requests = Object.entries(questions).map(([key, question]) => [key, requestOf(question)]);
    return {
      resultType: "input_required",
      inputRequests: Object.fromEntries(requests),
      requestState: await this.#options.sign(state, sdk),
    };
  }

  async #refuse(program: CallProgram, checkpointId: string, record: CallRecord, text: string): Promise<Fields> {
    const final = program.refused(text);
    await this.#options.store.delete(checkpointId);
    await this.records.write(checkpointId, { ...record, final });
    return final;
  }

  #begin(request: CallRequest, state: CallState): CallSession {
    const { sdk, isModern, capabilities, cannotAskReason, requestContext, progress } = request;
    const keepFinal = (final: Fields) => this.#keepFinal(state, final);
    const session: CallSession = { sdk, isModern, capabilities, cannotAskReason, state, progress, keepFinal };
    this.#options.sessions.begin(requestContext, session);
    return session;
  }

  #expires(): number {
    return Date.now() + this.#options.ttlMs;
  }
}

/** Why answers were not accepted, by the ids of their questions. */
type Reasons = Readonly<Record<string, string>>;

function withReasons(questions: ClientQuestions, reasons: Reasons): ClientQuestions {
  const entries = Object.entries(questions).map(([key, question]) => [
    key,
    { ...question, rejected: Object.hasOwn(reasons, question.id) ? reasons[question.id] : undefined },
  ]);
  return Object.fromEntries(entries);
}

interface Replies {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly mismatches: Reasons;
  readonly isDeclined: boolean;
}

const newRecord: CallRecord = Object.freeze({ expires: 0, mismatchCount: 0, asks: [] });

function runOptions({ requestContext, signal, progress }: CallRequest) {
  return { requestContext, signal, ...(progress.isWanted && { callbacks: [progressHandler(progress)] }) };
}

function progressHandler(progress: ProgressReporter): Handler {
  return {
    onEvent: (_info, event) => {
      if (isFields(event) && event.kind === "progress") progress.event(event.event);
    },
  };
}

/** Questions by the key of their interrupt if it is unique, otherwise by their id. */
function questionsOf(interrupts: readonly Interrupt[]): ClientQuestions {
  const keys = interrupts.map(({ key }) => key);
  return Object.fromEntries(
    interrupts.map((interrupt, index) => {
      const key = keys[index];
      const isUnique = key !== undefined && keys.indexOf(key) === keys.lastIndexOf(key);
      return [isUnique ? key : interrupt.id, questionOf(interrupt)];
    }),
  );
}

function cannotAskText(
  missing: string | undefined,
  cannotAskReason: string | undefined,
  questions: ClientQuestions,
): string {
  const asked = Object.values(questions).map(questionText).join(" ");
  if (cannotAskReason !== undefined)
    return `This call needs an answer (elicitation), but ${cannotAskReason} Question: ${asked}`;
  return `This call needs an answer, but the client has not declared the capability "${missing}". Question: ${asked}`;
}

function tooManyMismatches(questions: ClientQuestions, reasons: Reasons): string {
  const rejected = Object.values(questions).filter(({ id }) => Object.hasOwn(reasons, id));
  const texts = rejected.map((question) => `"${questionText(question)}" (${reasons[question.id]})`);
  return `The answer to ${texts.join(" and ")} was not accepted ${maxMismatches} times, so the call has ended.`;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
