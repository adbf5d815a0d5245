import { quoted, TextCache } from "../values/quoted.js";
import type { ValueCodec } from "../values/value-codec.js";
import { type CheckpointDocument, documentVersion } from "./document.js";
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

/** The fields at the head of a document that change. */
export function headFields({
  status,
  owner,
  claim,
  answered,
  requested,
}: Pick<CheckpointDocument, "status" | "owner" | "claim" | "answered" | "requested">): string {
  const by = owner === undefined ? "" : `,"owner":${quoted(owner)}`;
  const named = claim === undefined ? "" : `,"claim":${quoted(claim)}`;
  const stop = requested === undefined ? "" : `,"requested":${quoted(requested)}`;
  return `"status":"${status}"${by}${named},"answered":${texts(answered)}${stop}`;
}

/** The start of a document, without the closing brace: its run, as {@link writeRun} writes it, follows. */
export function writeHead(runKey: string, fields: string): string {
  return `{"version":${documentVersion},"runKey":${quoted(runKey)},${fields}`;
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

/** Writes parts of a document as text. `states` are texts of states that are already known. */
export class Writer {
  readonly #codec: ValueCodec;
  readonly #states: ReadonlyMap<RunSnapshot, string> | undefined;
  /** The input of the run, where that was written last. */
  input: string | undefined = undefined;

  constructor(codec: ValueCodec, states?: ReadonlyMap<RunSnapshot, string>) {
    this.#codec = codec;
    this.#states = states;
  }

  /** `path`: the keys of the enclosing nodes, joined by `/`. */
  run(run: RunSnapshot, path: string): string {
    const { address, base, state, tasks, stop, passed, chain } = run;
    let written = "";
    for (const task of tasks) written += written === "" ? this.task(task, path) : `,${this.task(task, path)}`;
    const kept =
      state === undefined ? ',"state":null,"tasks":[' : `,"state":${this.#state(run, state, path)},"tasks":[`;
    const isOver = stop === undefined && passed.length === 0;
    const end = isOver ? '],"stop":null,"passed":[]}' : this.#stops(stop, passed, path);
    const steps = chain === undefined ? "" : `,"chain":${chainText(chain)}`;
    return `{"address":${quoted(address)},"base":${base}${steps}${kept}${written}${end}`;
  }

  #state(run: RunSnapshot, state: Slot, path: string): string {
    const known = this.#states?.get(run);
    return known === undefined ? this.slot(state, stateName(path)) : `[${known}]`;
  }

  #stops(stop: NodeStop | undefined, passed: readonly string[], path: string): string {
    return `],"stop":${this.stopText(stop, path)},"passed":${texts(passed)}}`;
  }

  stopText(stop: NodeStop | undefined, path: string): string {
    return stop === undefined ? "null" : this.#stop(stop, path);
  }

  /** `tree`: the text of its output, if that is already known. */
  task(task: TaskSnapshot, path: string, tree?: string): string {
    const { node, kind, step, done, output, chunks, unjoinable, failed, targets, visit, route } = task;
    const head = `${taskHead(node, kind)}${step}${done ? ',"done":true' : ',"done":false'}`;
    const next = targets === undefined ? "" : targetsText(targets);
    let given =
      output === undefined
        ? ""
        : `,"output":[${tree === undefined ? this.#output(output, task, path) : `{"tree":${tree}}`}]`;
    if (chunks !== undefined) given += `,"chunks":${this.#chunks(chunks, task, path)}`;
    if (unjoinable !== undefined) given += `,"unjoinable":${this.slot(unjoinable, outputName(task, path))}`;
    if (failed === true) given += ',"failed":true';
    if (visit === undefined && route === undefined) return `${head}${next}${given}}`;
    const own = visit === undefined ? "" : `,"visit":${this.invocation(visit, inside(path, node))}`;
    const behind = route === undefined ? "" : `,"route":${this.invocation(route, `${inside(path, node)} (branch)`)}`;
    return `${head}${next}${given}${own}${behind}}`;
  }

  /** The name for an error is built only when plain JSON is not enough. */
  #output({ value }: Slot, task: TaskSnapshot, path: string): string {
    const text = this.#codec.encodeTree(value) ?? this.#codec.encodeGraph(value, outputName(task, path));
    if (path === "" && task.node === "start") this.input = text;
    return text;
  }

  #chunks(chunks: readonly unknown[], task: TaskSnapshot, path: string): string {
    const text = this.#codec.encode(chunks, outputName(task, path));
    if (path === "" && task.node === "start") this.input = text;
    return text;
  }

  invocation(invocation: InvocationSnapshot, at: string): string {
    const { address, settled, questions, once, prepared, produced, inner, calls } = invocation;
    let asked = "";
    for (const question of questions) asked += `${asked === "" ? "" : ","}${this.question(question, at)}`;
    const head = `{"address":${quoted(address)},"settled":${settled},"questions":[${asked}]`;
    const isAll = (prepared ?? produced) === undefined && once.length === 0 && inner.length === 0 && calls.length === 0;
    if (isAll) return `${head},"once":[],"prepared":null,"inner":[],"calls":[]}`;
    const kept = list(once, (entry) => this.once(entry, at));
    const input = prepared === undefined ? "null" : this.slot(prepared, `input of "${at}"`);
    const made = produced === undefined ? "" : `,"produced":${this.slot(produced, `output of "${at}"`)}`;
    const runs = list(inner, (one) => this.inner(one, at));
    const called = list(calls, (call) => this.call(call, at));
    return `${head},"once":${kept},"prepared":${input}${made},"inner":${runs},"calls":${called}}`;
  }

  once([key, value]: readonly [string, unknown], at: string): string {
    return `[${quoted(key)},${this.#codec.encode(value, `once("${key}") of "${at}"`)}]`;
  }

  /** The part of a question that may change. */
  answerOf({ id, kind, key, answer, fresh }: Question, at: string): string {
    const named = kind === "ask" ? `ask("${key}") at "${at}"` : `interrupt at "${at}"`;
    return `{"id":${quoted(id)},"fresh":${fresh},"answer":${answer === undefined ? "null" : this.#answer(answer, named)}}`;
  }

  question({ id, kind, key, address, info, schema, state, answer, fresh }: Question, at: string): string {
    const fits = schema === undefined ? "" : `,"schema":${JSON.stringify(schema)}`;
    const named = (): string => `${kind === "ask" ? `ask("${key}")` : "interrupt"} at "${at}"`;
    const said = this.#codec.encodeTree(info) ?? this.#codec.encodeGraph(info, `info of ${named()}`);
    const kept = state === undefined ? "null" : this.slot(state, `state of ${named()}`);
    const answered = answer === undefined ? "null" : this.#answer(answer, named());
    return `{"id":${quoted(id)},"kind":"${kind}","key":${quoted(key)},"address":${quoted(address)}${fits},"fresh":${fresh},"info":${said},"state":${kept},"answer":${answered}}`;
  }

  #stop({ id, before, after, answer }: NodeStop, path: string): string {
    const answered = answer === undefined ? "null" : this.#answer(answer, `the stop of "${path}"`);
    return `{"id":${quoted(id)},"before":${texts(before)},"after":${texts(after)},"answer":${answered}}`;
  }

  #answer(answer: Answer, to: string): string {
    return answer.hasData ? `[${this.#codec.encode(answer.data, `answer to ${to}`)}]` : "[]";
  }

  inner({ key, result, run }: InnerSnapshot, at: string): string {
    const given = result === undefined ? "null" : this.slot(result, `result of the child run "${key}" in "${at}"`);
    const written = run === undefined ? "null" : this.run(run, key === "" ? at : `${at}/${key}`);
    return `{"key":${quoted(key)},"result":${given},"run":${written}}`;
  }

  call({ index, callId, result, visit }: CallSnapshot, at: string): string {
    const given = result === undefined ? "null" : this.slot(result, `result of call "${callId}" in "${at}"`);
    const own = visit === undefined ? "null" : this.invocation(visit, `${at} (call "${callId}")`);
    return `{"index":${index},"callId":${quoted(callId)},"result":${given},"visit":${own}}`;
  }

  slot({ value }: Slot, name: string): string {
    return `[${this.#codec.encode(value, name)}]`;
  }
}

/** What errors call the output of a task: the input of its target, if it has exactly one. */
function outputName({ node, targets }: TaskSnapshot, path: string): string {
  const [only] = targets ?? [];
  if (targets?.length === 1 && only !== undefined && only !== "end") return `input of "${inside(path, only)}"`;
  return node === "start" ? `input of ${path === "" ? "the graph" : `"${path}"`}` : `output of "${inside(path, node)}"`;
}

function inside(path: string, key: string): string {
  return path === "" ? key : `${path}/${key}`;
}

function list<T>(items: readonly T[], write: (item: T) => string): string {
  if (items.length === 0) return "[]";
  return `[${items.map(write).join(",")}]`;
}

/** The text of a task up to the number of its step. */
function taskHead(node: string, kind: string): string {
  const [known, text] = heads.get(node) ?? [];
  if (known === kind && text !== undefined) return text;
  const head = `{"node":${quoted(node)},"kind":${quoted(kind)},"step":`;
  heads.set(node, [kind, head]);
  return head;
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

const heads = new TextCache<readonly [kind: string, text: string]>();
const singles = new TextCache<string>();

/** What errors call the state of a graph. */
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
