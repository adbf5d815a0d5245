import type { JsonSchema } from "../../schema/standard-schema.js";
import { unreadableCheckpoint } from "../checkpoint-errors.js";
import type { StoredCheckpoint } from "../checkpoint-store.js";
import { noteOf } from "../history/segments.js";
import type { RunIndex, RunStatus } from "../runs/run-index.js";
import type { ValueCodec } from "../values/value-codec.js";
import { type CheckpointDocument, usualKind } from "./document.js";
import { DocumentTree, inputIn } from "./document-tree.js";
import { checkFormatVersion } from "./format-version.js";
import { asBoolean, asList, asRecord, asStep, asText, type JsonRecord, parseJson } from "./json-parts.js";
import {
  type Answer,
  type CallSnapshot,
  type ChainStep,
  type InnerSnapshot,
  type InvocationSnapshot,
  lateAnswer,
  type NodeStop,
  type Question,
  type RunSnapshot,
  type Slot,
  type TaskSnapshot,
} from "./snapshot.js";

/** Reads a stored document. Throws a `KumikoError` that says what is wrong when the bytes are anything else. */
export function readDocument(stored: StoredCheckpoint, codec: ValueCodec): CheckpointDocument {
  return documentOf(readTree(stored), codec);
}

/** Parses a stored document and applies its entries, without decoding values. */
export function readTree({ data, appended = [] }: Pick<StoredCheckpoint, "data" | "appended">): DocumentTree {
  const document = asRecord(parseJson(data), "the document");
  checkFormatVersion(document.version, "This checkpoint");
  const tree = new DocumentTree(document);
  for (const entry of appended) tree.apply(asRecord(parseJson(entry), "an entry"));
  return tree;
}

/** Decodes a copy, so that more entries can be applied afterwards. */
export function copyOf(tree: DocumentTree, codec: ValueCodec): CheckpointDocument {
  return decoded(structuredClone(tree.finish()), tree.lastOwner, codec);
}

/** Decodes a document. It may change the tree, which must not be used any more. */
export function documentOf(tree: DocumentTree, codec: ValueCodec): CheckpointDocument {
  return decoded(tree.finish(), tree.lastOwner, codec);
}

function decoded(document: JsonRecord, lastOwner: string | undefined, codec: ValueCodec): CheckpointDocument {
  const { owner, claim, requested, root, output, segment, oldest, input, error, given, answers } = document;
  const reader = new Reader(codec);
  const index = indexIn(document);
  return {
    runKey: asText(document.runKey, "runKey"),
    status: index.status,
    graph: index.graph,
    startedAt: asStep(document.startedAt, 0, "startedAt"),
    since: index.since,
    attempts: asStep(document.attempts ?? 0, 0, "attempts"),
    error: error === undefined ? undefined : reader.slot(error, "the error"),
    given: given === undefined ? undefined : reader.slot(given, "the input"),
    answers: answers === undefined ? undefined : reader.answers(answers),
    index,
    owner: owner === undefined ? undefined : asText(owner, "owner"),
    lastOwner,
    claim: claim === undefined ? undefined : asText(claim, "claim"),
    answered: asList(document.answered, "answered", (id) => asText(id, "an answered id")),
    requested: requested === undefined ? undefined : asText(requested, "requested"),
    isPassing: asBoolean(document.passing ?? false, "passing"),
    isUnlisted: asBoolean(document.unlisted ?? false, "unlisted"),
    root: root === null || root === undefined ? undefined : reader.run(root, 0),
    input: input ?? inputIn(document),
    entry: noteOf(document),
    segment: segment === undefined ? undefined : asStep(segment, 0, "the segment"),
    oldest: oldest === undefined ? undefined : asStep(oldest, 0, "the oldest segment"),
    output: output === undefined ? undefined : reader.slot(output, "the output"),
  };
}

/** What a store finds a document by. */
export function indexIn(document: JsonRecord): RunIndex {
  const { status, graph, since, owner, due, threadId, userId } = document;
  if (!isStatus(status)) throw unreadableCheckpoint("its status is unknown");
  const index = { status, graph: asText(graph, "the name of its graph"), since: asStep(since, 0, "since") };
  return Object.assign(
    index,
    owner !== undefined && { owner: asText(owner, "owner") },
    due !== undefined && { due: asStep(due, 0, "due") },
    threadId !== undefined && { threadId: asText(threadId, "threadId") },
    userId !== undefined && { userId: asText(userId, "userId") },
  );
}

/** The same, as an argument of `put`: nothing for a document that is in no list. */
export function indexToPut(document: JsonRecord): RunIndex | undefined {
  return document.unlisted === true ? undefined : indexIn(document);
}

const statuses: readonly unknown[] = [
  "ready",
  "running",
  "waiting",
  "stopped",
  "failed",
  "cancelled",
  "finished",
] satisfies RunStatus[];

const isStatus = (status: unknown): status is RunStatus => statuses.includes(status);

/** Reads a slot that was left as JSON. */
export function readSlot(json: unknown, name: string, codec: ValueCodec): Slot | undefined {
  return new Reader(codec).slot(json, name);
}

/** How deep graphs, child runs and calls may be nested. */
const deepest = 1_000;

class Reader {
  readonly #codec: ValueCodec;

  constructor(codec: ValueCodec) {
    this.#codec = codec;
  }

  run(json: unknown, depth: number): RunSnapshot {
    if (depth > deepest) throw unreadableCheckpoint(`its graphs are nested more than ${deepest} levels deep`);
    const run = asRecord(json, "a run");
    const address = asText(run.address, "the address of a run");
    return {
      address,
      base: asStep(run.base, -1, "the base of a run"),
      state: this.slot(run.state, "state"),
      tasks: asList(run.tasks, "tasks", (task) => this.#task(task, depth, address)),
      stop: run.stop === null || run.stop === undefined ? undefined : this.#stop(run.stop),
      passed: asList(run.passed ?? [], "passed", (name) => asText(name, "a stop")),
      chain: run.chain === undefined ? undefined : asList(run.chain, "chain", asChainStep),
    };
  }

  #task(json: unknown, depth: number, runAddress: string): TaskSnapshot {
    const task = asRecord(json, "a task");
    const node = asText(task.node, "the node of a task");
    const { targets, visit } = task;
    const address = `${runAddress};node:${node}`;
    return {
      node,
      kind: asText(task.kind ?? usualKind, "the kind of a task"),
      step: asStep(task.step, 0, "the step of a task"),
      done: asBoolean(task.done ?? visit === undefined, "done"),
      output: this.slot(task.output, `output of "${node}"`),
      chunks: task.chunks === undefined ? undefined : this.#chunks(task.chunks, node),
      unjoinable: task.unjoinable === undefined ? undefined : this.slot(task.unjoinable, `error of "${node}"`),
      failed: task.failed === undefined ? undefined : asBoolean(task.failed, "failed"),
      targets: targets === undefined ? undefined : asList(targets, "targets", (key) => asText(key, "a target")),
      keepsState: task.keepsState === undefined ? undefined : asBoolean(task.keepsState, "keepsState"),
      visit: this.invocation(visit, depth, address),
      route: this.invocation(task.route, depth, address),
    };
  }

  /** `usual` is its address if it has none of its own. */
  invocation(json: unknown, depth: number, usual?: string): InvocationSnapshot | undefined {
    if (json === null || json === undefined) return undefined;
    const invocation = asRecord(json, "an invocation");
    const { settled = true, questions = [], once = [], inner = [], calls = [] } = invocation;
    const address = asText(invocation.address ?? usual, "the address of an invocation");
    return {
      address,
      settled: asBoolean(settled, "settled"),
      questions: asList(questions, "questions", (question) => this.#question(question, address)),
      once: asList(once, "once", (entry) => this.#once(entry)),
      prepared: this.slot(invocation.prepared, "a prepared input"),
      produced: this.slot(invocation.produced, "an output"),
      inner: asList(inner, "inner", (one) => this.#inner(one, depth + 1)),
      calls: asList(calls, "calls", (call) => this.#call(call, depth + 1)),
    };
  }

  #question(json: unknown, usual: string): Question {
    const question = asRecord(json, "a question");
    const { kind = "ask", schema, address = usual, fresh = false, expiresAt } = question;
    if (kind !== "ask" && kind !== "interrupt") throw unreadableCheckpoint("a question has an unknown kind");
    return {
      id: asText(question.id, "the id of a question"),
      kind,
      key: asText(question.key, "the key of a question"),
      address: asText(address, "the address of a question"),
      info: this.#codec.decode(question.info, "info of a question"),
      schema: schema === undefined ? undefined : (asRecord(schema, "a schema") as JsonSchema),
      state: this.slot(question.state, "state of a question"),
      ...(expiresAt !== undefined && { expiresAt: asStep(expiresAt, 0, "the deadline of a question") }),
      answer: this.#answer(question.answer),
      fresh: asBoolean(fresh, "fresh"),
    };
  }

  #once(json: unknown): readonly [string, unknown] {
    const [key, value] = asList(json, "a result of once", (part) => part);
    return [asText(key, "the key of once"), this.#codec.decode(value, "a result of once")];
  }

  #inner(json: unknown, depth: number): InnerSnapshot {
    const inner = asRecord(json, "an inner run");
    return {
      key: asText(inner.key, "the key of an inner run"),
      result: this.slot(inner.result, "the result of a child run"),
      run: inner.run === undefined ? undefined : this.run(inner.run, depth),
    };
  }

  #call(json: unknown, depth: number): CallSnapshot {
    if (depth > deepest) throw unreadableCheckpoint(`its calls are nested more than ${deepest} levels deep`);
    const call = asRecord(json, "a tool call");
    return {
      index: asStep(call.index, 0, "the position of a tool call"),
      callId: asText(call.callId, "the id of a tool call"),
      result: this.slot(call.result, "the result of a tool call"),
      visit: this.invocation(call.visit, depth),
    };
  }

  #stop(json: unknown): NodeStop {
    const stop = asRecord(json, "a stop");
    return {
      id: asText(stop.id, "the id of a stop"),
      before: asList(stop.before, "before", (key) => asText(key, "a node")),
      after: asList(stop.after, "after", (key) => asText(key, "a node")),
      answer: this.#answer(stop.answer),
    };
  }

  #answer(json: unknown): Answer | undefined {
    if (json === null || json === undefined) return undefined;
    if (json === "late") return lateAnswer;
    const parts = asList(json, "an answer", (part) => part);
    if (parts.length > 1) throw unreadableCheckpoint("an answer has several values");
    return parts.length === 0
      ? { hasData: false, data: undefined }
      : { hasData: true, data: this.#codec.decode(parts[0], "an answer") };
  }

  answers(json: unknown): Record<string, Slot> {
    const read: [string, Slot][] = [];
    for (const [id, answer] of Object.entries(asRecord(json, "the answers"))) {
      const slot = this.slot(answer, "an answer");
      if (slot !== undefined) read.push([id, slot]);
    }
    return Object.fromEntries(read);
  }

  #chunks(json: unknown, node: string): readonly unknown[] {
    const chunks = this.#codec.decode(json, `chunks of "${node}"`);
    if (Array.isArray(chunks)) return chunks;
    throw unreadableCheckpoint(`the chunks of "${node}" are not a list`);
  }

  slot(json: unknown, name: string): Slot | undefined {
    if (json === null || json === undefined) return undefined;
    const parts = asList(json, name, (part) => part);
    if (parts.length !== 1) throw unreadableCheckpoint(`${name} is not a single value`);
    return { value: this.#codec.decode(parts[0], name) };
  }
}

function asChainStep(json: unknown): ChainStep {
  const [key, kind, name] = asList(json, "a step of a chain", (part) => asText(part, "a part of a step"));
  return [key ?? "", kind ?? "", name ?? ""];
}
