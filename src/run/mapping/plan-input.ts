import type { MappingPlan } from "../../compose/plan/mapping.js";
import type { PlanInput, PlanWiring } from "../../compose/plan/plan.js";
import type { Run } from "../run.js";
import type { Delivery } from "../task.js";
import { assembleStreams } from "./assemble-streams.js";
import { type BoundMapping, bindMapping, type Outputs } from "./bound-mapping.js";
import { LineOutputs } from "./line-outputs.js";
import { MISSING, orUndefined } from "./read-path.js";
import { deliverWired } from "./wired-delivery.js";
import { wiredLine } from "./wired-line.js";

/** Compiles the input mapping of a workflow's node. */
export function planInput(mapping: MappingPlan, indexOf: (key: string) => number): PlanInput {
  const bound: BoundMapping = bindMapping(mapping, indexOf);
  const assemble = (run: Run, target: number, inbox: readonly Delivery[]): unknown =>
    run.mode === "transform" ? assembleStreams(bound, { run, target }, inbox) : read(new Inbox(run, target, inbox));
  const read = bound.kind === "record" ? bound.read : (outputs: Outputs): unknown => orUndefined(bound.read(outputs));
  return {
    isRepeatable: !bound.mayWait,
    assemble: assemble as PlanInput["assemble"],
    read: read as PlanInput["read"],
    wiring,
  };
}

const wiring: PlanWiring = {
  deliver: deliverWired,
  line: wiredLine,
  outputs: (run: Run): LineOutputs => new LineOutputs(run),
};

/** Up to this many deliveries are searched in order; more are indexed in a map. */
const few = 8;

/** The deliveries to a node, by source. */
class Inbox implements Outputs {
  readonly run: Run;
  readonly target: number;
  readonly #inbox: readonly Delivery[];
  #byIndex: Map<number, Delivery> | undefined = undefined;

  constructor(run: Run, target: number, inbox: readonly Delivery[]) {
    this.run = run;
    this.target = target;
    this.#inbox = inbox;
  }

  at(index: number): unknown {
    const delivery = this.#find(index);
    return delivery === undefined || delivery.source.failure !== undefined ? MISSING : delivery.value;
  }

  failureAt(index: number): unknown {
    return this.#find(index)?.source.failure ?? MISSING;
  }

  #find(index: number): Delivery | undefined {
    const inbox = this.#inbox;
    if (inbox.length > few) {
      this.#byIndex ??= new Map(inbox.map((delivery) => [delivery.source.index, delivery]));
      return this.#byIndex.get(index);
    }
    for (let n = 0; n < inbox.length; n++) {
      const delivery = inbox[n] as Delivery;
      if (delivery.source.index === index) return delivery;
    }
    return undefined;
  }
}
