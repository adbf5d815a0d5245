import { type CheckpointDocument, documentVersion } from "./document.js";
import type {
  Answer,
  CallSnapshot,
  InnerSnapshot,
  NodeStop,
  Question,
  RunSnapshot,
  Slot,
  TaskSnapshot,
  VisitSnapshot,
} from "./snapshot.js";
import type { ValueCodec } from "./value-codec.js";

/** A document as text, its run given as {@link writeRun} writes it. */
export function writeDocument(document: Omit<CheckpointDocument, "root">, root: string | undefined): string {
  const { runKey, status, owner, answered, requested } = document;
  const head = JSON.stringify({ version: documentVersion, runKey, status, owner, answered, requested });
  return `${head.slice(0, -1)},"root":${root ?? "null"}}`;
}

/** A run and all that is inside it. Throws `NOT_SERIALIZABLE` for a value that cannot be saved, with the way to it. */
export function writeRun(run: RunSnapshot, codec: ValueCodec): string {
  return new Writer(codec).run(run, "");
}

class Writer {
  readonly #codec: ValueCodec;

  constructor(codec: ValueCodec) {
    this.#codec = codec;
  }

  /** `path`: the keys of the nodes on the way, joined by `/`. */
  run({ address, base, state, tasks, stop, passed }: RunSnapshot, path: string): string {
    const fields = [
      `"address":${JSON.stringify(address)},"base":${base}`,
      `"state":${this.#slot(state, path === "" ? "state of the graph" : `state of "${path}"`)}`,
      `"tasks":${list(tasks, (task) => this.#task(task, path))}`,
      `"stop":${stop === undefined ? "null" : this.#stop(stop, path)}`,
      `"passed":${JSON.stringify(passed)}`,
    ];
    return `{${fields.join(",")}}`;
  }

  #task(task: TaskSnapshot, path: string): string {
    const { node, kind, step, done, output, targets, visit, route } = task;
    const at = inside(path, node);
    const head = JSON.stringify({ node, kind, step, done, targets });
    return `${head.slice(0, -1)},"output":${this.#slot(output, outputName(task, path))},"visit":${this.#visit(visit, at)},"route":${this.#visit(route, `${at} (branch)`)}}`;
  }

  #visit(visit: VisitSnapshot | undefined, at: string): string {
    if (visit === undefined) return "null";
    const { address, settled, questions, once, prepared, inner, calls } = visit;
    const fields = [
      `"address":${JSON.stringify(address)},"settled":${settled}`,
      `"questions":${list(questions, (question) => this.#question(question, at))}`,
      `"once":${list(once, ([key, value]) => `[${JSON.stringify(key)},${this.#codec.encode(value, `once("${key}") of "${at}"`)}]`)}`,
      `"prepared":${this.#slot(prepared, `input of "${at}"`)}`,
      `"inner":${list(inner, (one) => this.#inner(one, at))}`,
      `"calls":${list(calls, (call) => this.#call(call, at))}`,
    ];
    return `{${fields.join(",")}}`;
  }

  #question({ id, kind, key, address, info, schema, state, answer, fresh }: Question, at: string): string {
    const head = JSON.stringify({ id, kind, key, address, schema, fresh });
    const what = kind === "ask" ? `ask("${key}")` : "interrupt";
    return `${head.slice(0, -1)},"info":${this.#codec.encode(info, `info of ${what} at "${at}"`)},"state":${this.#slot(state, `state of ${what} at "${at}"`)},"answer":${this.#answer(answer, `${what} at "${at}"`)}}`;
  }

  #stop({ id, before, after, answer }: NodeStop, path: string): string {
    const head = JSON.stringify({ id, before, after });
    return `${head.slice(0, -1)},"answer":${this.#answer(answer, `the stop of "${path}"`)}}`;
  }

  #answer(answer: Answer | undefined, to: string): string {
    if (answer === undefined) return "null";
    return answer.hasData ? `[${this.#codec.encode(answer.data, `answer to ${to}`)}]` : "[]";
  }

  #inner({ key, result, run }: InnerSnapshot, at: string): string {
    const name = key === "" ? at : `${at}/${key}`;
    const written = run === undefined ? "null" : this.run(run, name);
    return `{"key":${JSON.stringify(key)},"result":${this.#slot(result, `result of the child run "${key}" in "${at}"`)},"run":${written}}`;
  }

  #call({ index, callId, result, visit }: CallSnapshot, at: string): string {
    const head = JSON.stringify({ index, callId });
    return `${head.slice(0, -1)},"result":${this.#slot(result, `result of call "${callId}" in "${at}"`)},"visit":${this.#visit(visit, `${at} (call "${callId}")`)}}`;
  }

  #slot(slot: Slot | undefined, name: string): string {
    return slot === undefined ? "null" : `[${this.#codec.encode(slot.value, name)}]`;
  }
}

/** What somebody who reads an error knows the value as: the input of the one node that it goes to. */
function outputName({ node, targets }: TaskSnapshot, path: string): string {
  const [only] = targets ?? [];
  if (targets?.length === 1 && only !== undefined && only !== "end") return `input of "${inside(path, only)}"`;
  return node === "start" ? `input of ${path === "" ? "the graph" : `"${path}"`}` : `output of "${inside(path, node)}"`;
}

function inside(path: string, key: string): string {
  return path === "" ? key : `${path}/${key}`;
}

function list<T>(items: readonly T[], write: (item: T) => string): string {
  return `[${items.map(write).join(",")}]`;
}
