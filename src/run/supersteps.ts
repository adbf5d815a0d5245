import { causedByInterrupt } from "../checkpoint/interrupt.js";
import { END_INDEX, START_INDEX } from "../compose/plan/plan.js";
import { isPromiseLike, isStream } from "./async.js";
import type { Body } from "./body.js";
import { collect } from "./collect.js";
import { maxStepsExceeded, noNextNode } from "./errors.js";
import { discard, drop, join, movesStreams, split, withKey } from "./flow.js";
import { ROUTED } from "./program.js";
import { type Answers, anyPending, ask, findTarget, namesOf, targetsOf } from "./route.js";
import type { Run } from "./run.js";
import { TaskContext } from "./task-context.js";

/*
 * The scheduler of `anyPredecessor` graphs. As long as one node runs at a time the run is in a *lane*: a loop that calls
 * node after node and leaves only for a promise. With several nodes it goes in steps: all nodes of a step run, what they
 * gave is routed, and what is fed by it makes the next step. Nothing here depends on the size of the graph.
 *
 * Every function gives the index of the node to go on with, or one of these three.
 */
const DONE = END_INDEX;
const WAIT = -1;
const STEP = -2;

/** Starts a run. True: `run.result` is there. False: `run.pending` must be awaited. */
export function startSupersteps(run: Run, input: unknown): boolean {
  return goOn(run, leave(run, START_INDEX, input), input);
}

/** Goes on when `run.pending` has given its value. */
export function resumeSupersteps(run: Run, value: unknown): boolean {
  const { held } = run;
  run.pending = undefined;
  run.held = undefined;
  switch (run.waiting) {
    case "node": {
      if (run.mode === "invoke" && isStream(value)) return goOn(run, collectNode(run, run.at, value), undefined);
      const output = withKey(run, run.at, value);
      return goOn(run, leave(run, run.at, output), output);
    }
    case "route":
      return goOn(run, spread(run, run.at, held, targetsOf(run, run.at, value as Answers)), held);
    case "join":
      if (run.at === END_INDEX) run.result = value;
      return goOn(run, run.at, value);
    case "step":
      return goOn(run, afterStep(run, value as readonly unknown[]), run.held);
    case "routes":
      return goOn(run, deliver(run, held as readonly unknown[], value as readonly Answers[]), run.held);
    default:
      return run.waiting satisfies never;
  }
}

/** Alternates between lane and steps, in a loop, so that no run is too long for the stack. */
export function goOn(run: Run, to: number, value: unknown): boolean {
  let target = to;
  let input = value;
  for (;;) {
    if (target > END_INDEX) {
      target = runLane(run, target, input);
    } else if (target === STEP) {
      target = runStep(run);
      input = run.held;
    } else {
      return target === DONE;
    }
  }
}

/** Runs one node after another, from `to` on. The hot loop of the library: nothing here is for features not in use. */
function runLane(run: Run, to: number, value: unknown): number {
  const { bodies, maxSteps, program } = run;
  const { next } = program;
  let index = to;
  let input = value;
  for (;;) {
    if (run.steps === maxSteps) throw stepLimit(run, [index]);
    run.steps += 1;
    run.at = index;
    const output = (bodies[index] as Body)(input, new TaskContext(run, index));
    if (typeof output === "object" && output !== null) {
      if (output instanceof Promise || isPromiseLike(output)) {
        run.pending = output;
        run.waiting = "node";
        return WAIT;
      }
      if (Symbol.asyncIterator in output && run.mode === "invoke") return collectNode(run, index, output);
    }
    if (run.halted) throw run.haltReason;
    const successor = next[index] as number;
    if (successor > END_INDEX) {
      index = successor;
      input = output;
    } else {
      input = withKey(run, index, output);
      const target = successor === ROUTED ? route(run, index, input) : finish(run, input);
      if (target <= END_INDEX) return target;
      index = target;
    }
  }
}

/** In a run on values, what a node streams is read to its end before the run goes on. */
export function collectNode(run: Run, index: number, output: unknown): number {
  run.pending = collect(output, new TaskContext(run, index));
  run.waiting = "node";
  return WAIT;
}

/** The node after `index`, whose `output` (with its key) is ready. */
export function leave(run: Run, index: number, output: unknown): number {
  const successor = run.program.sole[index] as number;
  if (successor > END_INDEX) return successor;
  return successor === ROUTED ? route(run, index, output) : finish(run, output);
}

function finish(run: Run, output: unknown): number {
  run.result = output;
  return DONE;
}

/** Several ways to go, or none. */
function route(run: Run, index: number, output: unknown): number {
  const { plain, branches } = run.program.routes[index] ?? { plain: [], branches: [] };
  const [branch] = branches;
  if (branch === undefined) return spread(run, index, output, plain);
  run.at = index;
  if (branches.length > 1 || plain.length > 0 || branch.stream || movesStreams(run))
    return routeByAll(run, index, output);
  const answer = branch.choose(output as never, new TaskContext(run, index) as never);
  if (typeof answer === "string") {
    const target = findTarget(run, index, branch, answer);
    return target === END_INDEX ? finish(run, output) : target;
  }
  return afterAnswers(run, index, output, [answer]);
}

function routeByAll(run: Run, index: number, output: unknown): number {
  const asked = ask(run, index, output);
  return afterAnswers(run, index, asked.output, asked.answers);
}

function afterAnswers(run: Run, index: number, output: unknown, answers: Answers): number {
  if (!anyPending(answers)) return spread(run, index, output, targetsOf(run, index, answers));
  run.pending = Promise.all(answers);
  run.waiting = "route";
  run.at = index;
  run.held = output;
  return WAIT;
}

/** Gives the output of the only running node to its targets. */
function spread(run: Run, index: number, output: unknown, targets: readonly number[]): number {
  const [first] = targets;
  if (first === undefined) {
    drop(run, output);
    throw nothingNext(run, [index]);
  }
  if (first === END_INDEX) return finish(run, output);
  if (targets.length === 1) return first;
  run.stepNodes = targets;
  run.stepInputs = split(run, output, targets.length);
  return STEP;
}

/** Runs all nodes of a step. Those that are not done at once are awaited together. */
function runStep(run: Run): number {
  const { bodies, stepNodes = [], stepInputs = [] } = run;
  if (run.steps === run.maxSteps) throw stepLimit(run, stepNodes);
  run.steps += 1;
  const outputs = new Array<unknown>(stepNodes.length);
  let waits = false;
  for (let n = 0; n < stepNodes.length; n++) {
    const index = stepNodes[n] as number;
    run.at = index;
    outputs[n] = runOne(run, bodies[index] as Body, stepInputs[n], index, outputs);
    if (isPromiseLike(outputs[n])) waits = true;
    if (run.aborted) throw abandon(outputs, run.reason);
  }
  run.stepInputs = undefined;
  if (!waits && !run.halted) return afterStep(run, outputs);
  run.waiting = "step";
  run.held = outputs;
  run.pending = Promise.all(outputs);
  return WAIT;
}

function runOne(run: Run, body: Body, input: unknown, index: number, started: readonly unknown[]): unknown {
  const ctx = new TaskContext(run, index);
  try {
    const output = input instanceof Promise ? input.then((ready) => runReady(run, body, ready, ctx)) : body(input, ctx);
    return output instanceof Promise || !isPromiseLike(output) ? output : Promise.resolve(output);
  } catch (error) {
    // the others of the step still run before the run stops to wait
    if (run.stopped !== undefined && causedByInterrupt(error)) return Promise.reject(error);
    throw abandon(started, error);
  }
}

function runReady(run: Run, body: Body, input: unknown, ctx: TaskContext): unknown {
  run.throwIfAborted();
  return body(input, ctx);
}

/** The run ends without these: what they still give, or reject with, has been overtaken. */
export function abandon(started: readonly unknown[], error: unknown): unknown {
  for (const output of started) {
    if (output instanceof Promise) output.then(discard, ignore);
    else discard(output);
  }
  return error;
}

function ignore(): void {}

/** All nodes of the step are done: asks their branches, then delivers. */
function afterStep(run: Run, outputs: readonly unknown[]): number {
  const { stepNodes = [] } = run;
  if (run.mode === "invoke" && outputs.some(isStream)) return collectStep(run, stepNodes, outputs);
  const only = commonTarget(run, stepNodes);
  if (only !== ROUTED) {
    run.stepNodes = undefined;
    return enter(run, only, { sources: stepNodes, values: outputs });
  }
  const { routes } = run.program;
  const answers: Answers[] = [];
  const rest: unknown[] = [];
  let waits = false;
  for (let n = 0; n < stepNodes.length; n++) {
    const index = stepNodes[n] as number;
    if (routes[index]?.branches.length === 0) {
      answers.push(noAnswers);
      rest.push(outputs[n]);
      continue;
    }
    run.at = index;
    const asked = askAfter(run, index, outputs[n], answers);
    if (anyPending(asked.answers)) waits = true;
    answers.push(asked.answers);
    rest.push(movesStreams(run) ? asked.output : outputs[n]);
  }
  if (!waits) return deliver(run, rest, answers);
  run.held = rest;
  run.waiting = "routes";
  run.pending = Promise.all(answers.map((each) => Promise.all(each)));
  return WAIT;
}

function askAfter(run: Run, index: number, output: unknown, earlier: readonly Answers[]): ReturnType<typeof ask> {
  try {
    return ask(run, index, withKey(run, index, output));
  } catch (error) {
    throw abandon(earlier.flat(), error);
  }
}

function collectStep(run: Run, stepNodes: readonly number[], outputs: readonly unknown[]): number {
  const whole = outputs.map((output, n) =>
    isStream(output) ? collect(output, new TaskContext(run, stepNodes[n] as number)) : output,
  );
  run.held = whole;
  run.waiting = "step";
  run.pending = Promise.all(whole);
  return WAIT;
}

/** The one node that all of these feed, and nothing else; the usual end of a fan-out. */
function commonTarget({ program }: Run, nodes: readonly number[]): number {
  const target = program.sole[nodes[0] as number] as number;
  for (let n = 1; n < nodes.length; n++) if (program.sole[nodes[n] as number] !== target) return ROUTED;
  return target;
}

const noAnswers: Answers = [];

interface Delivery {
  readonly sources: readonly number[];
  readonly values: readonly unknown[];
}

interface OpenDelivery {
  readonly sources: number[];
  readonly values: unknown[];
}

/** Brings what the nodes of a step gave to the nodes of the next one. */
function deliver(run: Run, outputs: readonly unknown[], answers: readonly Answers[]): number {
  const { stepNodes = [] } = run;
  const deliveries = new Map<number, OpenDelivery>();
  stepNodes.forEach((index, n) => {
    const targets = targetsOf(run, index, answers[n] ?? noAnswers);
    if (targets.length === 0) drop(run, outputs[n]);
    else give(deliveries, index, targets, split(run, outputs[n], targets.length));
  });
  run.stepNodes = undefined;
  if (deliveries.size === 0) throw nothingNext(run, stepNodes);
  const end = deliveries.get(END_INDEX);
  if (end === undefined) return nextStep(run, deliveries);
  deliveries.delete(END_INDEX);
  for (const { values } of deliveries.values()) for (const value of values) drop(run, value);
  return enter(run, END_INDEX, end);
}

function give(
  deliveries: Map<number, OpenDelivery>,
  source: number,
  targets: readonly number[],
  parts: readonly unknown[],
): void {
  targets.forEach((target, n) => {
    const delivery = deliveries.get(target);
    if (delivery === undefined) {
      deliveries.set(target, { sources: [source], values: [parts[n]] });
    } else {
      delivery.sources.push(source);
      delivery.values.push(parts[n]);
    }
  });
}

function nextStep(run: Run, deliveries: ReadonlyMap<number, Delivery>): number {
  const nodes = [...deliveries.keys()].sort((a, b) => a - b);
  const [first] = nodes;
  if (nodes.length === 1 && first !== undefined) return enter(run, first, deliveries.get(first) as Delivery);
  run.stepNodes = nodes;
  run.stepInputs = nodes.map((node) => {
    run.at = node;
    const { sources, values } = deliveries.get(node) as Delivery;
    const input = join(run, node, sources, values);
    return isPromiseLike(input) ? later(input) : input;
  });
  return STEP;
}

/** The step may not come to run its nodes: then nobody waits for this. */
function later(input: PromiseLike<unknown>): Promise<unknown> {
  const ready = Promise.resolve(input);
  ready.then(undefined, ignore);
  return ready;
}

/** One node is next: its input is in `run.held`. */
function enter(run: Run, node: number, { sources, values }: Delivery): number {
  run.at = node;
  const input = join(run, node, sources, values);
  if (isPromiseLike(input)) {
    run.pending = input;
    run.waiting = "join";
    return WAIT;
  }
  if (node === END_INDEX) return finish(run, input);
  run.held = input;
  return node;
}

export function stepLimit(run: Run, nodes: readonly number[]): Error {
  run.at = START_INDEX;
  return maxStepsExceeded(run.nodePath, run.maxSteps, namesOf(run, nodes));
}

/** An error of the graph, and not of the nodes that ran last. */
function nothingNext(run: Run, last: readonly number[]): Error {
  run.at = START_INDEX;
  return noNextNode(run.nodePath, namesOf(run, last));
}
