import { clientFailureIn } from "../../components/client-failure.js";
import { KumikoError } from "../../errors.js";
import { isFields, isPlainObject, isPromiseLike } from "../../is.js";
import { formText } from "../../schema/json-schema/form-text.js";
import type { SchemaValidator } from "../../schema/schema-validator.js";
import { shorten } from "../../schema/shorten.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { schemaCheck } from "../../schema/validation/schema-check.js";
import { issueText } from "../../wording.js";
import {
  alreadyAnswered,
  ambiguousInterrupt,
  answerMismatch,
  invalidAnswers,
  modifyStateFailed,
  promisedState,
  unknownInterrupt,
} from "../checkpoint-errors.js";
import {
  type Answer,
  type InvocationSnapshot,
  lateAnswer,
  type NodeStop,
  type Question,
  type RunSnapshot,
  type Slot,
} from "../document/snapshot.js";
import { isSameAnswer } from "./same-answer.js";

/** A question, or a stop before or after nodes, that can be answered. */
export interface Open {
  readonly id: string;
  readonly isStop: boolean;
  readonly address: string;
  readonly schema: JsonSchema | undefined;
  readonly info: unknown;
  /** Whether it is unanswered. */
  readonly waits: boolean;
  /** When its deadline passes, in milliseconds since 1970, and whether it has. */
  readonly expiresAt: number | undefined;
  readonly isLate: boolean;
  /** Its answer, if it has one. */
  readonly given: Answer | undefined;
  answer(answer: Answer): void;
}

export interface AnswerContext {
  /** Ids that the last resume answered. */
  readonly answered: readonly string[];
  /** The id of a requested stop, which takes no answer. */
  readonly requested: string | undefined;
  readonly validator: SchemaValidator | undefined;
  /** The answers need no check any more. */
  readonly areChecked: boolean;
  /** Answers that were recorded before, by the ids of their questions. */
  readonly recorded: Readonly<Record<string, Slot>> | undefined;
  /** Milliseconds since 1970: what was to be answered before then counts as answered. */
  readonly now: number;
  /** Without answers, stops before or after nodes stay. */
  readonly keepsStops: boolean;
}

/**
 * Writes answers into a stopped run if all of them fit, and returns their ids. Without answers, stops before or after nodes are
 * released. Returns a promise only when answers must be checked against a schema.
 */
export function applyAnswers(
  root: RunSnapshot,
  answers: Readonly<Record<string, unknown>> | undefined,
  context: AnswerContext,
): readonly string[] | Promise<readonly string[]> {
  const all: Open[] = [];
  addOpen(root, all, context.now);
  const open = all.map((question) => inTime(question, context.recorded));
  const late = open.filter(({ waits, isLate }) => waits && isLate);
  for (const question of late) question.answer(lateAnswer);
  const given = withRecorded(entriesOf(answers, open), context.recorded);
  if (given.length === 0) {
    if (!context.keepsStops) releaseStops(root);
    return late.map(({ id }) => id);
  }
  const chosen: Chosen[] = given.map(({ name, data, byAddress }) => ({
    data,
    open: find(name, byAddress, open, context),
  }));
  const twice = chosen.find(({ open: question }, n) => chosen.some((other, m) => m < n && other.open === question));
  if (twice !== undefined) throw answerMismatch(twice.open.address, ["two answers are given for it"]);
  const needsCheck = !context.areChecked && chosen.some(({ open: { schema } }) => schema !== undefined);
  return needsCheck ? answerChecked(chosen, context.validator) : answerAll(chosen);
}

/** An answer that was recorded in time is not late because the run goes on later. */
function inTime(question: Open, recorded: AnswerContext["recorded"] = {}): Open {
  return question.isLate && Object.hasOwn(recorded, question.id) ? { ...question, isLate: false } : question;
}

/** A recorded answer can be given again, but not another one. */
function withRecorded(given: readonly Given[], recorded: AnswerContext["recorded"] = {}): readonly Given[] {
  const known = Object.entries(recorded).map(([name, { value }]) => ({ name, data: value, byAddress: false }));
  const isRepeated = ({ name, data }: Given): boolean => {
    const slot = Object.hasOwn(recorded, name) ? recorded[name] : undefined;
    if (slot === undefined) return false;
    if (isSameAnswer(slot.value, data)) return true;
    throw alreadyAnswered(name);
  };
  return known.length === 0 ? given : [...known, ...given.filter((one) => !isRepeated(one))];
}

interface Chosen {
  readonly data: unknown;
  readonly open: Open;
}

async function answerChecked(
  chosen: readonly Chosen[],
  validator: SchemaValidator | undefined,
): Promise<readonly string[]> {
  for (const { data, open: question } of chosen) {
    const { schema, address, info } = question;
    if (schema !== undefined && clientFailureIn(info, data) === undefined)
      await check(schema, address, data, validator);
  }
  return answerAll(chosen);
}

function answerAll(chosen: readonly Chosen[]): readonly string[] {
  for (const { data, open: question } of chosen) question.answer({ hasData: data !== undefined, data });
  return chosen.map(({ open: { id } }) => id);
}

export interface Given {
  readonly name: string;
  readonly data: unknown;
  readonly byAddress: boolean;
}

export function entriesOf(answers: unknown, open: readonly Open[]): Given[] {
  if (answers === undefined) return [];
  if (!isPlainObject(answers)) throw invalidAnswers();
  const names = Object.keys(answers);
  if (!names.includes("byAddress")) return names.map((name) => ({ name, data: answers[name], byAddress: false }));
  const { byAddress } = answers;
  const isById = byAddress === undefined || open.some(({ id }) => id === "byAddress");
  const byId = Object.entries(answers).filter(([name]) => isById || name !== "byAddress");
  const entries: Given[] = byId.map(([name, data]) => ({ name, data, byAddress: false }));
  if (isById) return entries;
  if (!isPlainObject(byAddress)) throw invalidAnswers();
  return [...entries, ...Object.entries(byAddress).map(([name, data]) => ({ name, data, byAddress: true }))];
}

export function find(
  name: string,
  byAddress: boolean,
  open: readonly Open[],
  context: Pick<AnswerContext, "answered" | "requested">,
): Open {
  const isOpen = ({ waits, isLate }: Open): boolean => waits && !isLate;
  const waiting = open.filter(isOpen);
  if (byAddress) {
    const there = waiting.filter(({ address }) => address === name);
    const [only] = there;
    if (only === undefined) throw unknownInterrupt(name, [...new Set(waiting.map(({ address }) => address))]);
    if (there.length > 1)
      throw ambiguousInterrupt(
        name,
        there.map(({ id }) => id),
      );
    return only;
  }
  const named = open.filter(({ id }) => id === name);
  const found = named.find(isOpen);
  if (found !== undefined) return found;
  if (named.some(({ isLate }) => isLate))
    throw unknownInterrupt(
      name,
      waiting.map(({ id }) => id),
    );
  if (name === context.requested) throw answerMismatch(name, ["a requested stop takes no answer: resume without one"]);
  // its answer is still in use, or was used since the last stop
  if (named.length > 0 || context.answered.includes(name)) throw alreadyAnswered(name);
  throw unknownInterrupt(
    name,
    waiting.map(({ id }) => id),
  );
}

export async function check(
  schema: JsonSchema,
  address: string,
  data: unknown,
  validator: SchemaValidator | undefined,
): Promise<void> {
  const checked = await schemaCheck(schema, () => schema).check(data, { validator, unchecked: ignore });
  if (checked.issues === undefined) return;
  const form = isFields(data) ? undefined : formText(schema);
  const issues = form === undefined ? checked.issues.map(issueText) : [`expected ${form}, got ${shorten(data)}`];
  throw answerMismatch(address, issues);
}

/** A schema that cannot be checked was already reported when the question was asked. */
function ignore(): void {}

/** Collects what can be answered in a run and inside it. */
export function addOpen(run: RunSnapshot, open: Open[], now: number): void {
  const { stop, address } = run;
  if (stop !== undefined) open.push(openStop(run, stop, address));
  for (const { visit, route } of run.tasks) {
    if (visit !== undefined) addOpenAt(visit, open, now);
    if (route !== undefined) addOpenAt(route, open, now);
  }
}

function addOpenAt(invocation: InvocationSnapshot, open: Open[], now: number): void {
  for (const question of invocation.questions) open.push(openQuestion(question, now));
  for (const call of invocation.calls) if (call.visit !== undefined) addOpenAt(call.visit, open, now);
  for (const { run } of invocation.inner) if (run !== undefined) addOpen(run, open, now);
}

function openQuestion(question: Question, now: number): Open {
  const { id, address, schema, info, expiresAt } = question;
  return {
    id,
    isStop: false,
    address,
    schema,
    info,
    waits: question.answer === undefined,
    given: question.answer,
    expiresAt,
    isLate: expiresAt !== undefined && expiresAt <= now,
    answer: (answer) => {
      question.answer = answer;
      question.fresh = true;
    },
  };
}

/** An answer with data is the new state of the graph. */
function openStop(run: RunSnapshot, stop: NodeStop, address: string): Open {
  return {
    id: stop.id,
    isStop: true,
    address,
    schema: undefined,
    info: undefined,
    waits: stop.answer === undefined,
    given: stop.answer,
    expiresAt: undefined,
    isLate: false,
    answer: (answer) => {
      stop.answer = answer;
      if (answer.hasData && run.state !== undefined) run.state = { value: answer.data };
    },
  };
}

function releaseStops(run: RunSnapshot): void {
  if (run.stop !== undefined) run.stop.answer ??= { hasData: false, data: undefined };
  for (const { visit, route } of run.tasks) {
    if (visit !== undefined) releaseStopsAt(visit);
    if (route !== undefined) releaseStopsAt(route);
  }
}

function releaseStopsAt(invocation: InvocationSnapshot): void {
  for (const call of invocation.calls) if (call.visit !== undefined) releaseStopsAt(call.visit);
  for (const { run } of invocation.inner) if (run !== undefined) releaseStops(run);
}

type ModifyState = (state: unknown, path: string) => unknown;

/** Lets a user's function replace the state of every graph in a run. `option` names the function in errors. */
export function modifyStates(run: RunSnapshot, modify: ModifyState, option: "modifyState" | "editState"): void {
  modifyAt(run, modifyNamed(modify, option), "");
}

function modifyNamed(modify: ModifyState, option: string): ModifyState {
  return (state, path) => {
    let changed: unknown;
    try {
      changed = modify(state, path);
    } catch (cause) {
      // errors of the library keep their code
      if (KumikoError.is(cause)) throw cause;
      throw modifyStateFailed(option, path, cause);
    }
    if (isPromiseLike(changed)) throw promisedState(option, path);
    return changed;
  };
}

/** `path`: the keys of the enclosing nodes and child runs. */
function modifyAt(run: RunSnapshot, modify: ModifyState, path: string): void {
  if (run.state !== undefined) {
    const changed = modify(run.state.value, path);
    if (changed !== undefined) run.state = { value: changed };
  }
  for (const { visit, node } of run.tasks) {
    if (visit !== undefined) modifyInside(visit, modify, path === "" ? node : `${path}/${node}`);
  }
}

function modifyInside(invocation: InvocationSnapshot, modify: ModifyState, path: string): void {
  for (const { key, run } of invocation.inner) {
    if (run !== undefined) modifyAt(run, modify, key === "" ? path : `${path}/${key.replace(/#\d+$/, "")}`);
  }
  for (const call of invocation.calls) if (call.visit !== undefined) modifyInside(call.visit, modify, path);
}
