import type { PlanNode } from "../../compose/plan/plan.js";
import type { Runtime } from "../../compose/runtime.js";
import { isStream } from "../../is.js";
import type { ConcatRegistry } from "../../schema/concat/registry.js";
import type { ConcatRule, Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { Task, TaskOwner } from "../task.js";
import { traced } from "./node-stream.js";

/*
 * How the chunks of a task's output join belongs to that task. Readers only carry it, and every stage that passes a stream on
 * has to say what the new reader carries, so no wrapper can lose it.
 */

/** The joining that a node declares. Errors of joining are located at that node, wherever its stream is read. */
export class OutputJoining implements Joining {
  readonly rule: ConcatRule | undefined;
  readonly registry: ConcatRegistry | undefined;
  readonly where: string | undefined;
  readonly #task: Task;

  constructor({ rule, registry, where }: Joining, task: Task) {
    this.rule = rule;
    this.registry = registry;
    this.where = where;
    this.#task = task;
  }

  locate(error: unknown): unknown {
    const { owner, index } = this.#task;
    return owner.blame(error, index);
  }
}

/** The joining that a node of this run, or of a graph inside it, declares; `path` has the keys that lead to the node. */
export interface DeclaredJoining extends Joining {
  readonly path: readonly string[];
}

/** The joining of a saved stream, whose node ran in an earlier process. */
export class RestoredJoining implements Joining {
  readonly rule: ConcatRule | undefined;
  readonly registry: ConcatRegistry | undefined;
  readonly where: string | undefined;
  readonly #owner: TaskOwner;
  readonly #path: readonly string[];

  constructor({ rule, registry, where, path }: DeclaredJoining, owner: TaskOwner) {
    this.rule = rule;
    this.registry = registry;
    this.where = where;
    this.#owner = owner;
    this.#path = path;
  }

  locate(error: unknown): unknown {
    return this.#owner.blameAt(error, this.#path);
  }
}

/** A reader of the stream that a node's function returned. `own`: the joining that the node declares. */
export function toReader(
  output: unknown,
  own: Joining,
  upstream: StreamReader<unknown> | undefined,
  task: Task,
): StreamReader<unknown> {
  if (output === upstream && upstream !== undefined) return upstream;
  const reader = StreamReader.from(output as StreamSource<unknown>);
  const joining = joiningOfOutput(reader, own, task);
  return new StreamReader<unknown>(traced(reader.takeSource(), upstream, task), joining);
}

/** The joining that the node declares; otherwise the stream's own, if it comes from outside or from a nested graph. */
export function joiningOfOutput({ joining }: StreamReader<unknown>, own: Joining, task: Task): Joining {
  if (joining instanceof DecidedJoining) return joining;
  const isKnown = (joining?.rule ?? joining?.registry ?? joining?.locate) !== undefined;
  return joining !== undefined && isKnown && own.rule === undefined ? joining : new OutputJoining(own, task);
}

/** A joining that the node's own does not override: of the stream of a node with policies. */
export class DecidedJoining implements Joining {
  readonly #current: () => Joining | undefined;

  constructor(current: () => Joining | undefined) {
    this.#current = current;
  }

  get rule(): ConcatRule | undefined {
    return this.#current()?.rule;
  }

  get registry(): ConcatRegistry | undefined {
    return this.#current()?.registry;
  }

  get where(): string | undefined {
    return this.#current()?.where;
  }

  locate(error: unknown): unknown {
    const joining = this.#current();
    return joining?.locate === undefined ? error : joining.locate(error);
  }
}

/** A stream of one chunk. It needs no joining, so the rule of its node is left out. */
export function oneChunk(value: unknown, joining: Joining | undefined): StreamReader<unknown> {
  const whole = joining && { registry: joining.registry, where: joining.where };
  return new StreamReader<unknown>(StreamReader.from([value]).takeSource(), whole);
}

/** The same stream with another joining. */
export function rejoin(reader: StreamReader<unknown>, joining: Joining | undefined): StreamReader<unknown> {
  return new StreamReader(reader.takeSource(), joining);
}

/** How the values of one key join; `undefined` if only whole records can be joined. */
export function joiningOfKey(joining: Joining | undefined, key: string): Joining | undefined {
  const rule = joining?.rule;
  if (rule === "record" || rule === "pieces") return new PartJoining(joining, "pieces");
  if (typeof rule !== "object" || rule === null) return undefined;
  const own = rule.keyed.get(key);
  if (own !== undefined) return own;
  return rule.whole === undefined && rule.rest !== undefined ? new PartJoining(joining, rule.rest) : undefined;
}

/** Another rule, for a part of the same chunks. */
class PartJoining implements Joining {
  readonly rule: ConcatRule | undefined;
  readonly #joining: Joining | undefined;

  constructor(joining: Joining | undefined, rule: ConcatRule | undefined) {
    this.#joining = joining;
    this.rule = rule;
  }

  get registry(): ConcatRegistry | undefined {
    return this.#joining?.registry;
  }

  get where(): string | undefined {
    return this.#joining?.where;
  }

  locate(error: unknown): unknown {
    return this.#joining?.locate === undefined ? error : this.#joining.locate(error);
  }
}

/** How an input stream joins: with its own rule, else records key by key; classes as in its own registry, else this run's. */
export class InputJoining implements Joining {
  readonly #given: Joining | undefined;
  readonly #owner: TaskOwner;

  constructor(given: Joining | undefined, owner: TaskOwner) {
    this.#given = given;
    this.#owner = owner;
  }

  /** Looked up late: the output of another run knows its rule only once that run has started. */
  get rule(): ConcatRule {
    return this.#given?.rule ?? "pieces";
  }

  get registry(): ConcatRegistry | undefined {
    return this.#given?.registry ?? this.#owner.runtime.concat;
  }

  get where(): string {
    return this.#given?.where ?? "the input";
  }

  locate(error: unknown): unknown {
    const located = this.#given?.locate === undefined ? error : this.#given.locate(error);
    return this.#owner.blameAt(located, []);
  }
}

/** The joining that a node declares for its streams. */
export function joiningOf({ key, settings }: PlanNode, runtime: Runtime): Joining {
  return { rule: settings.concat, registry: runtime.concat, where: `node "${key}"` };
}

/** Joins the stream that a node returned in a run on values. */
export function collect(output: unknown, task: Task): Promise<unknown> {
  return toReader(output, joiningOf(task.owner.node(task.index), task.runtime), undefined, task).concat();
}

/** Cancels an output that came too late to be used, if it is a stream. */
export function discard(output: unknown): void {
  if (!isStream(output)) return;
  try {
    void StreamReader.from(output).cancel();
  } catch {
    // a web stream that is locked belongs to another reader
  }
}
