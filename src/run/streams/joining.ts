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

/** What a {@link StreamJoining} says beside the joining behind it. */
interface Own {
  /** Replaces the rule behind it. */
  readonly rule?: ConcatRule | undefined;
  /** Holds where the joining behind it says nothing. */
  readonly otherwise?: Joining;
  /** Locates an error of joining, after the joining behind it. */
  readonly locate?: (error: unknown) => unknown;
  /** The joining that a node declares does not override it. */
  readonly isDecided?: boolean;
}

/** How the chunks of one stream of a run join: as the joining behind it says, which may be known only later, but for its own. */
export class StreamJoining implements Joining {
  // every streamed node has one while its stream is open, so it is made of what is there already
  readonly #behind: Joining | (() => Joining | undefined) | undefined;
  readonly #own: Own;

  private constructor(behind: Joining | (() => Joining | undefined) | undefined, own: Own) {
    this.#behind = behind;
    this.#own = own;
  }

  /** The joining that a node declares. Errors of joining are located at that node, wherever its stream is read. */
  static ofOutput(declared: Joining, task: Task): StreamJoining {
    return new StreamJoining(declared, task);
  }

  /** The joining of a saved stream, whose node ran in an earlier process. */
  static ofSaved(declared: DeclaredJoining, owner: TaskOwner): StreamJoining {
    return new StreamJoining(declared, { locate: (error) => owner.blameAt(error, declared.path) });
  }

  /** How an input stream joins: with its own rule, else records key by key; classes as in its own registry, else the run's. */
  static ofInput(given: Joining | undefined, owner: TaskOwner): StreamJoining {
    const otherwise: Joining = { rule: "pieces", registry: owner.runtime.concat, where: "the input" };
    return new StreamJoining(given, { otherwise, locate: (error) => owner.blameAt(error, []) });
  }

  /** A joining that is known later, such as that of a run that has not started. */
  static later(known: () => Joining | undefined): StreamJoining {
    return new StreamJoining(known, {});
  }

  /** A joining that the node's own does not override: of the stream of a node with policies. */
  static decided(current: () => Joining | undefined): StreamJoining {
    return new StreamJoining(current, { isDecided: true });
  }

  /** Another rule, for a part of the same chunks. */
  static ofPart(whole: Joining | undefined, rule: ConcatRule): StreamJoining {
    return new StreamJoining(whole, { rule });
  }

  get #known(): Joining | undefined {
    return typeof this.#behind === "function" ? this.#behind() : this.#behind;
  }

  get rule(): ConcatRule | undefined {
    return this.#own.rule ?? this.#known?.rule ?? this.#own.otherwise?.rule;
  }

  get registry(): ConcatRegistry | undefined {
    return this.#known?.registry ?? this.#own.otherwise?.registry;
  }

  get where(): string | undefined {
    return this.#known?.where ?? this.#own.otherwise?.where;
  }

  get isDecided(): boolean {
    return this.#own.isDecided === true;
  }

  locate(error: unknown): unknown {
    const located = this.#known?.locate?.(error) ?? error;
    return this.#own.locate === undefined ? located : this.#own.locate(located);
  }
}

/** The joining that a node of this run, or of a graph inside it, declares; `path` has the keys that lead to the node. */
export interface DeclaredJoining extends Joining {
  readonly path: readonly string[];
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
  if (joining instanceof StreamJoining && joining.isDecided) return joining;
  const isKnown = (joining?.rule ?? joining?.registry ?? joining?.locate) !== undefined;
  return joining !== undefined && isKnown && own.rule === undefined ? joining : StreamJoining.ofOutput(own, task);
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
  if (rule === "record" || rule === "pieces") return StreamJoining.ofPart(joining, "pieces");
  if (typeof rule !== "object" || rule === null) return undefined;
  const own = rule.keyed.get(key);
  if (own !== undefined) return own;
  return rule.whole === undefined && rule.rest !== undefined ? StreamJoining.ofPart(joining, rule.rest) : undefined;
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
