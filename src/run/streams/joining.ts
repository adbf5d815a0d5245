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
 * How the chunks of a task's output join belongs to that task. Readers only carry it, and whoever hands a stream on says
 * what it carries: a wrapper cannot lose it.
 */

/** What a node declares, and where errors of joining are located: the node that declares, whoever reads. */
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

/** What a node of this run or of a graph in it declares, known by the keys on the way to it. */
export interface DeclaredJoining extends Joining {
  readonly path: readonly string[];
}

/** The same for a run that has not seen that node: an earlier process ran it. */
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

/** The reader of what the function of a node gave as a stream. `own`: what the node declares. */
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

/** As the node declares; otherwise as the stream itself says, if it comes from outside or from a graph inside. */
export function joiningOfOutput({ joining }: StreamReader<unknown>, own: Joining, task: Task): Joining {
  if (joining instanceof DecidedJoining) return joining;
  const isKnown = (joining?.rule ?? joining?.registry ?? joining?.locate) !== undefined;
  return joining !== undefined && isKnown && own.rule === undefined ? joining : new OutputJoining(own, task);
}

/** What holds whatever a node declares: of a stream that was made of several attempts, or of one that was held back. */
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

/** A stream of one chunk that is whole already: how its node joins several is not for it. */
export function oneChunk(value: unknown, joining: Joining | undefined): StreamReader<unknown> {
  const whole = joining && { registry: joining.registry, where: joining.where };
  return new StreamReader<unknown>(StreamReader.from([value]).takeSource(), whole);
}

/** The same stream, joined as told. */
export function rejoin(reader: StreamReader<unknown>, joining: Joining | undefined): StreamReader<unknown> {
  return new StreamReader(reader.takeSource(), joining);
}

/** How a single key of joined records joins; `undefined` where only the whole record can be joined. */
export function joiningOfKey(joining: Joining | undefined, key: string): Joining | undefined {
  const rule = joining?.rule;
  if (rule === "record" || rule === "pieces") return new PartJoining(joining, "pieces");
  if (typeof rule !== "object" || rule === null) return undefined;
  const own = rule.keyed.get(key);
  if (own !== undefined) return own;
  return rule.whole === undefined && rule.rest !== undefined ? new PartJoining(joining, rule.rest) : undefined;
}

/** Another rule for a part of the same chunks. */
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

/** How the stream joins that a run is given: as it says itself, records key by key, and classes as they do in this run. */
export class InputJoining implements Joining {
  readonly #given: Joining | undefined;
  readonly #owner: TaskOwner;

  constructor(given: Joining | undefined, owner: TaskOwner) {
    this.#given = given;
    this.#owner = owner;
  }

  /** Looked up when it is needed: the output of another run knows it once that run has begun. */
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

/** How streams of a node join, as it declares. */
export function joiningOf({ key, settings }: PlanNode, runtime: Runtime): Joining {
  return { rule: settings.concat, registry: runtime.concat, where: `node "${key}"` };
}

/** Reads what a node streams to its end: in a run on values the rest of the graph gets the whole. */
export function collect(output: unknown, task: Task): Promise<unknown> {
  return toReader(output, joiningOf(task.owner.node(task.index), task.runtime), undefined, task).concat();
}

/** A node gave this too late: nobody will read it. */
export function discard(output: unknown): void {
  if (!isStream(output)) return;
  try {
    void StreamReader.from(output).cancel();
  } catch {
    // a web stream that somebody else reads is theirs
  }
}
