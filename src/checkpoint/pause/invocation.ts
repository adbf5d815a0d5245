import { randomId } from "../../callbacks/random-id.js";
import { firstInvocation, type ResumeInfo } from "../../components/resume-info.js";
import type { KumikoError } from "../../errors.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import type {
  Answer,
  CallSnapshot,
  InnerSnapshot,
  InvocationSnapshot,
  NodeStop,
  Question,
  RunSnapshot,
  Slot,
} from "../document/snapshot.js";
import { duplicateKey, keyNotString } from "../errors.js";

/** The part of a question, or of a graph's stop, that tells whether it is open. */
interface Asked {
  readonly answer: Answer | undefined;
  /** Whether it has an answer that is not used yet. */
  readonly fresh: boolean;
}

/** Something that can wait for answers. */
export interface Part {
  /** Whether the test holds for any question asked in it, answered ones included. */
  someAsked(test: (asked: Asked) => boolean): boolean;
}

const any = (): boolean => true;
const isOpen = ({ answer }: Asked): boolean => answer === undefined;
const isAnswered = ({ answer }: Asked): boolean => answer !== undefined;
const isFresh = ({ fresh }: Asked): boolean => fresh;

/** A stream that keeps every chunk. */
export interface WholeStream {
  readonly ended: boolean;
  drain(): Promise<void>;
  whole(): unknown;
}

/** A run inside an invocation, while it is running. */
export interface InnerRun {
  readonly part: Part;
  snapshot(): RunSnapshot;
  /** Waits for its nodes, and for streams that a resume will need. Rejects with the error of a failure, not with an interrupt. */
  settle(): Promise<void>;
}

interface Inner {
  result: Slot | undefined;
  saved: RunSnapshot | undefined;
  run: InnerRun | undefined;
  /** A question was asked in it, in this execution of the invocation or an earlier one. */
  hasAsked: boolean;
}

interface Call {
  callId: string;
  result: Slot | undefined;
  invocation: Invocation | undefined;
}

/**
 * The memory of one invocation (of a node in a step, or of a tool) that can stop and be entered again: its questions with their
 * answers, the results of `once`, and the runs and tool calls inside it. Created when the first of these is needed.
 */
export class Invocation implements Part {
  readonly address: string;
  /** Whether it was restored, so that this is not its first execution. */
  readonly isRestored: boolean;
  /** A question was asked in this execution, here or inside: it has stopped, whatever its function returns. */
  hasStopped = false;
  /** The first misuse in this execution. It is reported before any question is. */
  mistake: KumikoError | undefined = undefined;
  /** The input after the node's `before`, once it is complete. */
  prepared: Slot | undefined = undefined;
  /** The output before the node's `after`, once it is complete. */
  produced: Slot | undefined = undefined;
  /** The same two while they are streams. */
  keptStreams: Map<"prepared" | "produced", WholeStream> | undefined = undefined;
  /** It stopped to wait, and so did everything inside it: it neither failed nor was cut off. */
  #isSettled = false;
  #questions: Question[] = [];
  #once: Map<string, unknown> | undefined = undefined;
  #inner: Map<string, Inner> | undefined = undefined;
  #calls: Map<number, Call> | undefined = undefined;
  /** The keys used in this execution. */
  #usedKeys: Set<string> | undefined = undefined;
  #childCounts: Map<string, number> | undefined = undefined;
  #open = 0;
  #waiters: (() => void)[] | undefined = undefined;

  constructor(address: string, saved?: InvocationSnapshot) {
    this.address = address;
    this.isRestored = saved !== undefined;
    if (saved !== undefined) this.#restore(saved);
  }

  // questions

  /** Throws if an `ask` or `once` uses an invalid key, or one that was already used in this execution. */
  useKey(what: "ask" | "once", key: string): void {
    if (typeof key !== "string") {
      this.mistake ??= keyNotString(what, key, this.address);
      throw this.mistake;
    }
    this.#usedKeys ??= new Set();
    const name = `${what} ${key}`;
    if (this.#usedKeys.has(name)) {
      this.mistake ??= duplicateKey(what, key, this.address);
      throw this.mistake;
    }
    this.#usedKeys.add(name);
  }

  /** To be called when its function runs again in the same execution: a middleware may repeat a tool. */
  restart(): void {
    this.#usedKeys = undefined;
    this.#childCounts = undefined;
    this.mistake = undefined;
  }

  /**
   * To be called when the node is retried. Results of `once` and answers are kept. Inner runs that have asked a question continue
   * where they were; others start over, unless `keepsInside` is set: then finished work is not repeated.
   */
  repeat(keepsInside: boolean): void {
    this.restart();
    for (const [key, inner] of this.#inner ?? nothing) {
      const hasAsked = inner.hasAsked || inner.run?.part.someAsked(any) === true;
      if (inner.run !== undefined) inner.saved = inner.run.snapshot();
      inner.run = undefined;
      inner.hasAsked = hasAsked;
      if (!keepsInside && !hasAsked) this.#inner?.delete(key);
    }
    for (const { invocation } of this.#calls?.values() ?? nothing) invocation?.repeat(keepsInside);
  }

  findAsk(key: string): Question | undefined {
    return this.#questions.find((question) => question.kind === "ask" && question.key === key);
  }

  /** A question that was answered since the last stop, and that the code has not asked again. */
  get unusedAnswer(): Question | undefined {
    return this.isRestored ? this.#questions.find(({ kind, fresh }) => kind === "ask" && fresh) : undefined;
  }

  /** Adds a question, or returns the existing one with this key. */
  ask(key: string, info: unknown, schema: JsonSchema | undefined, expiresAt?: number): Question {
    const open = this.findAsk(key);
    if (open !== undefined) return open;
    return this.#note("ask", key, info, schema, { expiresAt });
  }

  /** Adds the interrupt of the invocation itself. An earlier one, with its answer, is dropped. */
  interrupt(info: unknown, schema: JsonSchema | undefined, state: unknown): Question {
    this.#questions = this.#questions.filter(({ kind }) => kind !== "interrupt");
    return this.#note("interrupt", "", info, schema, { state: { value: state } });
  }

  #note(
    kind: Question["kind"],
    key: string,
    info: unknown,
    schema: JsonSchema | undefined,
    { state, expiresAt }: { readonly state?: Slot; readonly expiresAt?: number | undefined },
  ): Question {
    const { address } = this;
    const id = randomId();
    const noted = { id, kind, key, address, info, schema, state, expiresAt, answer: undefined, fresh: false };
    this.#questions.push(noted);
    return noted;
  }

  get resume(): ResumeInfo {
    const own = this.#questions.find(({ kind }) => kind === "interrupt");
    const wasInterrupted = this.isRestored && this.hasQuestions;
    if (!wasInterrupted) return firstInvocation;
    const { answer } = own ?? {};
    return {
      wasInterrupted,
      state: own?.state?.value,
      isTarget: this.someAsked(isAnswered),
      hasData: answer?.hasData ?? false,
      data: answer?.data,
    };
  }

  get hasQuestions(): boolean {
    return this.someAsked(any);
  }

  /** Whether it waits and has no new answers: then it is not entered again. */
  get isBlocked(): boolean {
    return this.#isSettled && this.someAsked(isOpen) && !this.someAsked(isFresh);
  }

  /** Whether a question in it is open. */
  get isAsking(): boolean {
    return this.someAsked(isOpen);
  }

  /**
   * To be called when its failure was handled without the answers that it waits for: its open questions are withdrawn, and so
   * are those of the runs and calls inside. What has finished there stays known, in case it is entered again.
   */
  withdraw(): void {
    this.hasStopped = false;
    this.#questions = this.#questions.filter((question) => !isOpen(question));
    for (const inner of this.#inner?.values() ?? nothing) {
      if (inner.run !== undefined) inner.run = new EndedRun(inner.run);
      else if (inner.saved !== undefined) inner.saved = withoutQuestions(inner.saved);
    }
    for (const { invocation } of this.#calls?.values() ?? nothing) invocation?.withdraw();
  }

  /** To be called when its function starts. If the process crashes before the next stop, it runs again. */
  begin(): void {
    this.#isSettled = false;
  }

  /** To be called when it has stopped again: the answers so far are used. */
  settleAnswers(): void {
    this.#isSettled = true;
    for (const question of this.#questions) question.fresh = false;
    for (const { invocation } of this.#calls?.values() ?? []) invocation?.settleAnswers();
  }

  /** Removes an answer that did not fit, so that the question is open again. */
  reopen(question: Question): void {
    question.answer = undefined;
    question.fresh = false;
  }

  /** The same for all answers that are not used yet. */
  reopenFresh(): void {
    for (const question of this.#questions) if (question.fresh) this.reopen(question);
  }

  /** The same for the answer to the interrupt of the invocation itself. */
  reopenInterrupt(): void {
    const question = this.#questions.find(({ kind }) => kind === "interrupt");
    if (question !== undefined) this.reopen(question);
  }

  someAsked(test: (asked: Asked) => boolean): boolean {
    if (this.#questions.some(test)) return true;
    for (const { run, saved, result } of this.#inner?.values() ?? nothing) {
      if (result !== undefined) continue;
      const part = run === undefined ? saved && partOfSnapshot(saved) : run.part;
      if (part?.someAsked(test) === true) return true;
    }
    for (const { invocation, result } of this.#calls?.values() ?? nothing) {
      if (result === undefined && invocation?.someAsked(test) === true) return true;
    }
    return false;
  }

  // results that are kept

  recall(key: string): Slot | undefined {
    return this.#once?.has(key) ? { value: this.#once.get(key) } : undefined;
  }

  remember(key: string, value: unknown): void {
    this.#once ??= new Map();
    this.#once.set(key, value);
  }

  keepStream(name: "prepared" | "produced", stream: WholeStream): void {
    this.keptStreams ??= new Map();
    this.keptStreams.set(name, stream);
  }

  // inner runs

  /** The key of the next child run of this name, such as `name#0`. It is the same in each execution. */
  nextChild(key: string): string {
    this.#childCounts ??= new Map();
    const count = this.#childCounts.get(key) ?? 0;
    this.#childCounts.set(key, count + 1);
    return `${key}#${count}`;
  }

  innerResult(key: string): Slot | undefined {
    return this.#inner?.get(key)?.result;
  }

  /** How far an inner run came in an earlier execution. */
  savedInner(key: string): RunSnapshot | undefined {
    return this.#inner?.get(key)?.saved;
  }

  startInner(key: string, run: InnerRun): void {
    this.#inner ??= new Map();
    const hasAsked = this.#inner.get(key)?.hasAsked ?? false;
    this.#inner.set(key, { result: undefined, saved: undefined, run, hasAsked });
  }

  get hasLiveRuns(): boolean {
    for (const { run } of this.#inner?.values() ?? nothing) if (run !== undefined) return true;
    return false;
  }

  liveRuns(): InnerRun[] {
    return [...(this.#inner?.values() ?? [])].map(({ run }) => run).filter((run) => run !== undefined);
  }

  finishInner(key: string, result: Slot | undefined): void {
    if (result === undefined) this.#inner?.delete(key);
    else {
      const known = this.#inner?.get(key);
      const hasAsked = known?.hasAsked === true || known?.run?.part.someAsked(any) === true;
      this.#inner?.set(key, { result, saved: undefined, run: undefined, hasAsked });
    }
  }

  // tool calls

  /** The invocation of a tool call, created when it is first needed. */
  invocationOfCall(index: number, callId: string, address: string): Invocation {
    const call = this.#call(index, callId);
    call.invocation ??= new Invocation(address);
    return call.invocation;
  }

  findCall(index: number): Readonly<Call> | undefined {
    return this.#calls?.get(index);
  }

  finishCall(index: number, callId: string, result: Slot): void {
    const call = this.#call(index, callId);
    call.callId = callId;
    call.result = result;
    call.invocation = undefined;
  }

  #call(index: number, callId: string): Call {
    this.#calls ??= new Map();
    let call = this.#calls.get(index);
    if (call === undefined) {
      call = { callId, result: undefined, invocation: undefined };
      this.#calls.set(index, call);
    }
    return call;
  }

  // work in progress

  /** Counts work that must settle before the invocation can end. */
  enter(): void {
    this.#open++;
  }

  leave(): void {
    this.#open--;
    this.changed();
  }

  changed(): void {
    const waiters = this.#waiters;
    this.#waiters = undefined;
    for (const wake of waiters ?? []) wake();
  }

  get isBusy(): boolean {
    return this.#open > 0;
  }

  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters ??= [];
      this.#waiters.push(resolve);
    });
  }

  // saved and restored

  snapshot(): InvocationSnapshot {
    return {
      address: this.address,
      settled: this.#isSettled,
      questions: this.#questions,
      once: this.#once === undefined ? nothing : [...this.#once],
      prepared: this.prepared,
      produced: this.produced,
      inner: this.#inner === undefined ? nothing : Array.from(this.#inner, snapshotOfInner),
      calls: this.#calls === undefined ? nothing : Array.from(this.#calls, snapshotOfCall),
    };
  }

  #restore({ settled, questions, once, prepared, produced, inner, calls }: InvocationSnapshot): void {
    this.#isSettled = settled;
    this.#questions = [...questions];
    this.prepared = prepared;
    this.produced = produced;
    if (once.length > 0) this.#once = new Map(once);
    for (const { key, result, run } of inner) {
      this.#inner ??= new Map();
      this.#inner.set(key, { result, saved: run, run: undefined, hasAsked: true });
    }
    for (const { index, callId, result, visit } of calls) {
      this.#calls ??= new Map();
      this.#calls.set(index, { callId, result, invocation: visit && new Invocation(visit.address, visit) });
    }
  }
}

const nothing: readonly never[] = [];

/** A run as a part: what is inside it, and its own stop. Evaluated lazily, because graphs may be deep. */
export function partOfRun(parts: readonly Part[], stop: NodeStop | undefined): Part {
  return {
    someAsked(test) {
      if (stop !== undefined && test({ answer: stop.answer, fresh: stop.answer !== undefined })) return true;
      return parts.some((part) => part.someAsked(test));
    },
  };
}

function partOfSnapshot({ tasks, stop }: RunSnapshot): Part {
  const invocations = tasks
    .flatMap(({ visit, route }) => [visit, route])
    .filter((invocation) => invocation !== undefined);
  const parts = invocations.map((invocation) => new Invocation(invocation.address, invocation));
  return partOfRun(parts, stop);
}

/** A run that has ended without a result, and whose questions are withdrawn. */
class EndedRun implements InnerRun {
  readonly part: Part = { someAsked: () => false };
  readonly #run: InnerRun;

  constructor(run: InnerRun) {
    this.#run = run;
  }

  snapshot(): RunSnapshot {
    return withoutQuestions(this.#run.snapshot());
  }

  async settle(): Promise<void> {}
}

/** A copy without open questions. */
function withoutQuestions(run: RunSnapshot): RunSnapshot {
  const tasks = run.tasks.map((task) => {
    const [visit, route] = [task.visit, task.route].map((asked) => asked && withoutOpen(asked));
    return { ...task, visit, route };
  });
  const stop = run.stop !== undefined && isOpen({ ...run.stop, fresh: false }) ? undefined : run.stop;
  return { ...run, tasks, stop };
}

function withoutOpen(invocation: InvocationSnapshot): InvocationSnapshot {
  return {
    ...invocation,
    questions: invocation.questions.filter((question) => !isOpen(question)),
    inner: invocation.inner.map((inner) => ({ ...inner, run: inner.run && withoutQuestions(inner.run) })),
    calls: invocation.calls.map((call) => ({ ...call, visit: call.visit && withoutOpen(call.visit) })),
  };
}

function snapshotOfInner([key, { result, saved, run }]: readonly [string, Inner]): InnerSnapshot {
  if (result !== undefined) return { key, result, run: undefined };
  return { key, result: undefined, run: run === undefined ? saved : run.snapshot() };
}

function snapshotOfCall([index, { callId, result, invocation }]: readonly [number, Call]): CallSnapshot {
  return { index, callId, result, visit: result === undefined ? invocation?.snapshot() : undefined };
}
