import type { PlanNode } from "../../compose/plan/plan.js";
import type { NodePolicies } from "../../compose/plan/policy-settings.js";
import { isStream } from "../../is.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { whenReady } from "../async.js";
import { type Body, type Natives, takesStreams } from "../body.js";
import { oneChunk, toReader } from "../streams/joining.js";
import { streamBody, unjoinedBody } from "../streams/stream-body.js";
import type { Task } from "../task.js";
import type { Attempt, AttemptSettings } from "./attempt.js";
import { Attempts } from "./attempts.js";
import { AttemptsSource, type OpenedAttempt } from "./attempts-source.js";
import { CachedNode } from "./cached-node.js";
import { type GivenInput, GivenStream, GivenValue } from "./given-input.js";

const noPolicies: NodePolicies = {
  retry: undefined,
  timeoutMs: undefined,
  idleTimeoutMs: undefined,
  cache: undefined,
  fallback: undefined,
};

/** A node with policies. */
export interface NodeAround {
  readonly node: PlanNode;
  readonly joining: Joining;
}

/** Wraps the functions of a node in its policies; from the outside in: cache, `fallback`, retry, time limits. */
export function aroundNode(natives: Natives, { node, joining }: NodeAround): Natives {
  const around = new AroundNode(natives, node, joining);
  const { cache } = node.policies ?? noPolicies;
  const cached = cache === undefined ? undefined : new CachedNode(cache, joining);
  const invoke: Body = (input, task) =>
    cached === undefined ? around.invoke(input, task) : cached.invoke(input, task, () => around.invoke(input, task));
  const stream = (given: GivenInput, task: Task): Promise<unknown> => {
    const make = (): Promise<StreamReader<unknown>> => around.stream(given, task);
    return cached === undefined ? make() : cached.stream(given, task, make);
  };
  return takesStreams(natives)
    ? { invoke, transform: (reader: StreamReader<unknown>, task: Task) => stream(new GivenStream(reader), task) }
    : { invoke, stream: (input: unknown, task: Task) => stream(new GivenValue(input), task) };
}

class AroundNode {
  readonly #policies: NodePolicies;
  readonly #settings: AttemptSettings;
  readonly #joining: Joining;
  /** A plain function, which is called as it is in a run on values. */
  readonly #call: Body | undefined;
  readonly #value: Body;
  readonly #stream: Body;

  constructor(natives: Natives, { body, component, policies = noPolicies }: PlanNode, joining: Joining) {
    const { retry, timeoutMs, idleTimeoutMs } = policies;
    const hasInner = body.kind === "graph" || body.kind === "each";
    const hasParts = hasInner || component === "tools_node";
    const retains = retry !== undefined && hasParts;
    this.#policies = policies;
    this.#settings = { timeoutMs, idleTimeoutMs, retains, isBody: !hasInner };
    this.#joining = joining;
    this.#call = natives.map === undefined ? (natives.call as Body | undefined) : undefined;
    this.#value = this.#call ?? unjoinedBody(natives, joining);
    this.#stream = streamBody(takesStreams(natives) ? "transform" : "stream", natives, joining);
  }

  async invoke(input: unknown, task: Task): Promise<unknown> {
    const attempts = new Attempts(task, new GivenValue(input), this.#policies, this.#settings);
    for (;;) {
      const attempt = attempts.begin();
      try {
        return await attempt.run(() => this.#wholeOf(input, attempt), true);
      } catch (error) {
        const instead = await attempts.failed(error, true);
        if (instead !== undefined) return this.#whole(instead.value, task);
      }
    }
  }

  #wholeOf(input: unknown, attempt: Attempt): unknown {
    return whenReady(this.#value(input, attempt), (output) => this.#joined(output, attempt));
  }

  #joined(output: unknown, attempt: Attempt): unknown {
    if (!isStream(output)) return output;
    const reader =
      this.#call === undefined ? this.#reader(output, attempt) : toReader(output, this.#joining, undefined, attempt);
    return this.#policies.idleTimeoutMs === undefined ? reader.concat() : this.#beating(reader, attempt);
  }

  /** The value that replaces the output of the node. */
  async #whole(output: unknown, task: Task): Promise<unknown> {
    const ready = await output;
    return isStream(ready) ? this.#reader(ready, task).concat() : ready;
  }

  /** Joins a stream; each chunk restarts the idle time limit. */
  async #beating(reader: StreamReader<unknown>, attempt: Attempt): Promise<unknown> {
    const chunks: unknown[] = [];
    for await (const chunk of reader) {
      attempt.beat();
      chunks.push(chunk);
    }
    return joinChunks(chunks, reader.joining);
  }

  #reader(stream: unknown, task: Task): StreamReader<unknown> {
    return stream instanceof StreamReader ? stream : toReader(stream, this.#joining, undefined, task);
  }

  async stream(given: GivenInput, task: Task): Promise<StreamReader<unknown>> {
    const { retry, fallback } = this.#policies;
    const isHeld = fallback !== undefined || retry?.buffer === true || task.owner.handlesFailure(task.index);
    const attempts = new Attempts(task, given, this.#policies, this.#settings);
    const source = new AttemptsSource(attempts, {
      open: (attempt) => this.#stream(given.for(attempt), attempt) as OpenedAttempt | PromiseLike<OpenedAttempt>,
      instead: (value) => (isStream(value) ? this.#reader(value, task) : oneChunk(value, this.#joining)),
    });
    return isHeld ? source.whole() : source.reader();
  }
}
