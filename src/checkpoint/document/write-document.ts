import type { RunStatus } from "../runs/run-index.js";
import { quoted, TextCache } from "../values/quoted.js";
import type { ValueCodec } from "../values/value-codec.js";
import { usualKind } from "./document.js";
import { JsonFields } from "./fields.js";
import { formatVersion } from "./format-version.js";
import type {
  Answer,
  CallSnapshot,
  ChainStep,
  InnerSnapshot,
  InvocationSnapshot,
  NodeStop,
  Question,
  RunSnapshot,
  Slot,
  TaskSnapshot,
} from "./snapshot.js";

/** The fields at the head of a document that change. In an entry, those that a reader knows are `undefined`. */
export interface HeadFields {
  readonly status: RunStatus | undefined;
  /** When the status has changed, in milliseconds since 1970. */
  readonly since: number | undefined;
  readonly owner: string | undefined;
  readonly claim: string | undefined;
  readonly attempts: number | undefined;
  readonly due: number | undefined;
  readonly answered: readonly string[] | undefined;
  readonly requested: string | undefined;
  /** The text of a slot. */
  readonly error: string | undefined;
}

export function headFields(fields: HeadFields): string {
  const { status, since, owner, claim, attempts, due, answered, requested, error } = fields;
  const at = since === undefined ? "" : `,"since":${since}`;
  const by = owner === undefined ? "" : `,"owner":${quoted(owner)}`;
  const named = claim === undefined ? "" : `,"claim":${quoted(claim)}`;
  const count = attempts === undefined ? "" : `,"attempts":${attempts}`;
  const end = due === undefined ? "" : `,"due":${due}`;
  const ids = answered === undefined ? "" : `,"answered":${texts(answered)}`;
  const stop = requested === undefined ? "" : `,"requested":${quoted(requested)}`;
  const why = error === undefined ? "" : `,"error":${error}`;
  const all = `${at}${by}${named}${count}${end}${ids}${stop}${why}`;
  return status === undefined ? all.slice(1) : `"status":"${status}"${all}`;
}

/** What a document says about its run, and never changes. */
export interface RunIdentity {
  readonly runKey: string;
  readonly graph: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly isPassing?: boolean | undefined;
  /** It is found by no query. */
  readonly isUnlisted?: boolean | undefined;
  readonly threadId?: string | undefined;
  readonly userId?: string | undefined;
}

/** The start of a document, without the closing brace: its run, as {@link writeRun} writes it, follows. */
export function writeHead(run: RunIdentity, fields: string): string {
  const { runKey, graph, startedAt, isPassing, isUnlisted, threadId, userId } = run;
  const passing = isPassing === true ? '"passing":true,' : "";
  const unlisted = isUnlisted === true ? '"unlisted":true,' : "";
  const thread = threadId === undefined ? "" : `"threadId":${JSON.stringify(threadId)},`;
  const user = userId === undefined ? "" : `"userId":${JSON.stringify(userId)},`;
  const names = `"graph":${quoted(graph)},"startedAt":${startedAt},${passing}${unlisted}${thread}${user}`;
  return `{"version":${formatVersion},"runKey":${quoted(runKey)},${names}${fields}`;
}

/**
 * A run and all that is inside it, as JSON text. Throws `NOT_SERIALIZABLE`, with the path, for a value that cannot be saved.
 * The text is concatenated by hand because this runs after every step, and JSON.stringify of each part is slower. Encoding to
 * bytes is slower the more pieces a text is made of, so parts that are usually the same are single literals.
 */
export function writeRun(run: RunSnapshot, codec: ValueCodec): string {
  return new Writer(codec).run(run, "");
}

/** Writes one whole run after the other. */
export class WholeRun {
  readonly #writer: Writer;

  constructor(codec: ValueCodec) {
    this.#writer = new Writer(codec);
  }

  write(run: RunSnapshot): string {
    return this.#writer.run(run, "");
  }

  /** The input of the run, if it was in what was written. */
  get input(): string | undefined {
    return this.#writer.input;
  }
}

/** Returns the text of a value with references to what the document already holds; `undefined` when it holds nothing of it. */
export type FindRepeated = (value: unknown) => string | undefined;

export interface WriterSettings {
  /** Returns the text of a run's state. @default that of any value */
  readonly stateOf?: (run: RunSnapshot, state: Slot, path: string) => string;
  /** Given for what is written into an entry. That leaves out all that the reader takes as the default. */
  readonly treeOf?: FindRepeated;
}

/** Writes parts of a document as text. Fields of invocations and questions that have their default value are left out. */
export class Writer {
  readonly #codec: ValueCodec;
  readonly #stateOf: WriterSettings["stateOf"];
  readonly #treeOf: FindRepeated | undefined;
  readonly #isBrief: boolean;
  /** The input of the run, where that was written last. */
  input: string | undefined = undefined;

  constructor(codec: ValueCodec, { stateOf, treeOf }: WriterSettings = {}) {
    this.#codec = codec;
    this.#stateOf = stateOf;
    this.#treeOf = treeOf;
    this.#isBrief = treeOf !== undefined;
  }

  /** `path`: the keys of the enclosing nodes, joined by `/`. */
  run(run: RunSnapshot, path: string): string {
    const { address, base, state, tasks, stop, passed, chain } = run;
    const isBrief = this.#isBrief;
    let written = "";
    for (const task of tasks) {
      const text = this.task(task, path, address);
      written += written === "" ? text : `,${text}`;
    }
    let kept = isBrief ? "" : ',"state":null';
    if (state !== undefined) kept = `,"state":${this.#state(run, state, path)}`;
    const isOver = stop === undefined && passed.length === 0;
    let end = isBrief ? "" : ',"stop":null,"passed":[]';
    if (!isOver) end = `,"stop":${this.stopText(stop, path)},"passed":${texts(passed)}`;
    const steps = chain === undefined ? "" : `,"chain":${chainText(chain)}`;
    return `{"address":${quoted(address)},"base":${base}${steps}${kept},"tasks":[${written}]${end}}`;
  }

  #state(run: RunSnapshot, state: Slot, path: string): string {
    return this.#stateOf === undefined ? this.slot(state, stateName(path)) : `[${this.#stateOf(run, state, path)}]`;
  }

  stopText(stop: NodeStop | undefined, path: string): string {
    return stop === undefined ? "null" : this.#stop(stop, path);
  }

  /** `address` is that of its run. */
  task(task: TaskSnapshot, path: string, address: string): string {
    const { node, kind, step, done, output, chunks, unjoinable, failed, targets, keepsState, visit, route } = task;
    const isUsual = this.#isBrief && done === (visit === undefined);
    const head = `${taskHead(node, kind, this.#isBrief)}${step}${isUsual ? "" : done ? ',"done":true' : ',"done":false'}`;
    const next = targets === undefined ? "" : targetsText(targets);
    let given = output === undefined ? "" : `,"output":[${this.#output(output, task, path)}]`;
    if (chunks !== undefined) given += `,"chunks":${this.#chunks(chunks, task, path)}`;
    if (unjoinable !== undefined) given += `,"unjoinable":${this.slot(unjoinable, outputName(task, path))}`;
    if (failed === true) given += ',"failed":true';
    if (keepsState !== undefined) given += `,"keepsState":${keepsState}`;
    if (visit === undefined && route === undefined) return `${head}${next}${given}}`;
    const usual = `${address};node:${node}`;
    const own = visit === undefined ? "" : `,"visit":${this.invocation(visit, inside(path, node), usual)}`;
    const behind =
      route === undefined ? "" : `,"route":${this.invocation(route, `${inside(path, node)} (branch)`, usual)}`;
    return `${head}${next}${given}${own}${behind}}`;
  }

  /** The name for an error is built only when plain JSON is not enough. */
  #output({ value }: Slot, task: TaskSnapshot, path: string): string {
    const tree = this.#treeOf?.(value);
    if (tree !== undefined) return `{"tree":${tree}}`;
    const text = this.#codec.encodeTree(value) ?? this.#codec.encodeGraph(value, outputName(task, path));
    if (path === "" && task.node === "start") this.input = text;
    return text;
  }

  #chunks(chunks: readonly unknown[], task: TaskSnapshot, path: string): string {
    const text = this.#codec.encode(chunks, outputName(task, path));
    if (path === "" && task.node === "start") this.input = text;
    return text;
  }

  /** `usual` is the address that a reader takes for its address when there is none. */
  invocation(invocation: InvocationSnapshot, at: string, usual?: string): string {
    const { address, settled, questions, once, prepared, produced, inner, calls } = invocation;
    const head = `${address === usual ? "" : `,"address":${quoted(address)}`}${settled ? "" : ',"settled":false'}`;
    let asked = "";
    for (const question of questions) {
      asked += asked === "" ? this.question(question, at, address) : `,${this.question(question, at, address)}`;
    }
    const isAll = (prepared ?? produced) === undefined && once.length === 0 && inner.length === 0 && calls.length === 0;
    if (isAll && head === "") return asked === "" ? "{}" : `{"questions":[${asked}]}`;
    const fields = new JsonFields(head.slice(1));
    if (asked !== "") fields.add("questions", `[${asked}]`);
    fields.addList("once", once, (entry) => this.once(entry, at));
    if (prepared !== undefined) fields.add("prepared", this.part(prepared, `input of "${at}"`));
    if (produced !== undefined) fields.add("produced", this.part(produced, `output of "${at}"`));
    fields.addList("inner", inner, (one) => this.inner(one, at));
    fields.addList("calls", calls, (call) => this.call(call, at));
    return `{${fields.inner}}`;
  }

  once([key, value]: readonly [string, unknown], at: string): string {
    return `[${quoted(key)},${this.#codec.encode(value, `once("${key}") of "${at}"`)}]`;
  }

  /** An answer that a question has got, or lost. */
  answerOf(question: Question, at: string): string {
    const { id, answer, fresh } = question;
    const kept = answer === undefined ? "null" : this.#answer(answer, nameOf(question, at));
    const isUsual = fresh && answer !== undefined;
    return `{"id":${quoted(id)}${isUsual ? "" : `,"fresh":${fresh}`},"answer":${kept}}`;
  }

  /** `usual` is the address of its invocation. */
  question(question: Question, at: string, usual?: string): string {
    const { id, kind, key, address, info, schema, state, expiresAt, answer, fresh } = question;
    const said = this.#codec.encodeTree(info) ?? this.#codec.encodeGraph(info, `info of ${nameOf(question, at)}`);
    const sort = kind === "ask" ? "" : `,"kind":"${kind}"`;
    const where = address === usual ? "" : `,"address":${quoted(address)}`;
    const fits = schema === undefined ? "" : `,"schema":${JSON.stringify(schema)}`;
    const kept = state === undefined ? "" : `,"state":${this.slot(state, `state of ${nameOf(question, at)}`)}`;
    const answered = answer === undefined ? "" : `,"answer":${this.#answer(answer, nameOf(question, at))}`;
    const isFresh = fresh ? ',"fresh":true' : "";
    const until = expiresAt === undefined ? "" : `,"expiresAt":${expiresAt}`;
    return `{"id":${quoted(id)}${sort},"key":${quoted(key)}${where}${fits}${until}${isFresh},"info":${said}${kept}${answered}}`;
  }

  #stop({ id, before, after, answer }: NodeStop, path: string): string {
    const answered = answer === undefined ? "null" : this.#answer(answer, `the stop of "${path}"`);
    return `{"id":${quoted(id)},"before":${texts(before)},"after":${texts(after)},"answer":${answered}}`;
  }

  #answer(answer: Answer, to: string): string {
    if (answer.isLate === true) return '"late"';
    return answer.hasData ? `[${this.#codec.encode(answer.data, `answer to ${to}`)}]` : "[]";
  }

  inner({ key, result, run }: InnerSnapshot, at: string): string {
    const given =
      result === undefined ? "" : `,"result":${this.slot(result, `result of the child run "${key}" in "${at}"`)}`;
    const written = run === undefined ? "" : `,"run":${this.run(run, key === "" ? at : `${at}/${key}`)}`;
    return `{"key":${quoted(key)}${given}${written}}`;
  }

  call({ index, callId, result, visit }: CallSnapshot, at: string): string {
    const given = result === undefined ? "" : `,"result":${this.slot(result, `result of call "${callId}" in "${at}"`)}`;
    const own = visit === undefined ? "" : `,"visit":${this.invocation(visit, `${at} (call "${callId}")`)}`;
    return `{"index":${index},"callId":${quoted(callId)}${given}${own}}`;
  }

  /** A part of an invocation, which the document may hold already. */
  part(slot: Slot, name: string): string {
    const tree = this.#treeOf?.(slot.value);
    return tree === undefined ? this.slot(slot, name) : `[{"tree":${tree}}]`;
  }

  slot({ value }: Slot, name: string): string {
    return `[${this.#codec.encode(value, name)}]`;
  }
}

/** The name of a task's output in errors: the input of its target, if it has exactly one. */
function outputName({ node, targets }: TaskSnapshot, path: string): string {
  const [only] = targets ?? [];
  if (targets?.length === 1 && only !== undefined && only !== "end") return `input of "${inside(path, only)}"`;
  return node === "start" ? `input of ${path === "" ? "the graph" : `"${path}"`}` : `output of "${inside(path, node)}"`;
}

/** The name of a question in errors. */
function nameOf({ kind, key }: Question, at: string): string {
  return kind === "ask" ? `ask("${key}") at "${at}"` : `interrupt at "${at}"`;
}

function inside(path: string, key: string): string {
  return path === "" ? key : `${path}/${key}`;
}

/** The text of a task up to the number of its step. */
function taskHead(node: string, kind: string, isBrief: boolean): string {
  const known = heads.get(node);
  if (known?.kind === kind) return isBrief ? known.brief : known.text;
  const named = `{"node":${quoted(node)},`;
  const text = `${named}"kind":${quoted(kind)},"step":`;
  const brief = kind === usualKind ? `${named}"step":` : text;
  heads.set(node, { kind, text, brief });
  return isBrief ? brief : text;
}

/** Usually there is one target. */
function targetsText(targets: readonly string[]): string {
  const [only] = targets;
  if (only === undefined || targets.length > 1) return `,"targets":${texts(targets)}`;
  let text = singles.get(only);
  if (text === undefined) {
    text = `,"targets":[${quoted(only)}]`;
    singles.set(only, text);
  }
  return text;
}

interface TaskHead {
  readonly kind: string;
  readonly text: string;
  readonly brief: string;
}

const heads = new TextCache<TaskHead>();
const singles = new TextCache<string>();

/** The name of a graph's state in errors. */
export function stateName(path: string): string {
  return path === "" ? "state of the graph" : `state of "${path}"`;
}

export function texts(items: readonly string[]): string {
  if (items.length === 0) return "[]";
  const [only = ""] = items;
  return items.length === 1 ? `[${quoted(only)}]` : JSON.stringify(items);
}

/** Cached by chain: there are few chains, and each is saved many times. */
function chainText(chain: readonly ChainStep[]): string {
  let text = chains.get(chain);
  if (text === undefined) {
    text = JSON.stringify(chain);
    chains.set(chain, text);
  }
  return text;
}

const chains = new WeakMap<readonly ChainStep[], string>();
