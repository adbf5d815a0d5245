import { unreadableCheckpoint } from "../checkpoint-errors.js";
import { sharingTree } from "../values/tree.js";
import { changeTrees, resolved } from "./change-tree.js";
import { asList, asRecord, asStep, asText, isJsonRecord, type JsonRecord } from "./json-parts.js";

/**
 * A document as JSON, to which entries are applied in order. Lists whose items have keys are held as maps meanwhile, so that the
 * cost of an entry depends on its own size, not on the length of the lists.
 */
export class DocumentTree {
  readonly #document: JsonRecord;
  readonly #maps = new Map<unknown[], Map<string, JsonRecord>>();
  /** Removed tasks by run: they are done and their outputs are no longer needed. */
  readonly #gone = new Map<JsonRecord, Set<string>>();

  /** The input of the run: it stays when START goes. */
  readonly #input: unknown;
  #lastOwner: unknown;
  /** Ids of the questions that the entry answers. */
  #answered: unknown[] = [];

  constructor(document: JsonRecord) {
    this.#document = document;
    this.#input = document.input ?? inputIn(document);
    this.#lastOwner = document.owner;
  }

  /** The process that claimed the document last, whether it has released it or not. */
  get lastOwner(): string | undefined {
    return typeof this.#lastOwner === "string" ? this.#lastOwner : undefined;
  }

  apply(entry: JsonRecord): void {
    const { root } = entry;
    const head = entry.head === undefined ? undefined : asRecord(entry.head, "the head of an entry");
    this.#answered = [];
    if (head !== undefined) this.#changeHead(head);
    if (root !== undefined) this.#changeRun(asRecord(this.#document.root, "the run"), asRecord(root, "a change"));
    // a saved task shows that the run gets on
    if (root !== undefined && head === undefined) this.#document.attempts = undefined;
    this.#resolveSlot(entry, "output");
    for (const name of ["output", "entry"]) if (Object.hasOwn(entry, name)) this.#document[name] = entry[name];
    if (head?.answered === undefined && this.#answered.length > 0) this.#document.answered = this.#answered;
  }

  /** A claim need not say that the run is running, nor name its owner if that is the last one again. */
  #changeHead(head: JsonRecord): void {
    const document = this.#document;
    const { status = "running", claim, requested, due, error, answers, answered = document.answered } = head;
    const former = status === "finished" ? undefined : document.attempts;
    const { since = document.since, attempts = former } = head;
    const owner = status === "running" ? (head.owner ?? this.#lastOwner) : head.owner;
    this.#lastOwner = owner ?? this.#lastOwner;
    Object.assign(document, { status, since, owner, claim, attempts, due, answered, requested, error, answers });
  }

  /** The document as plain JSON; more entries can still be applied afterwards. */
  finish(): JsonRecord {
    for (const [list, map] of this.#maps) list.splice(0, list.length, ...map.values());
    for (const [run, gone] of this.#gone) {
      for (const task of asList(run.tasks, "tasks", (item) => asRecord(item, "a task"))) {
        // in a graph without steps, every task has step 0
        if (task.step === 0 && Array.isArray(task.targets))
          task.targets = task.targets.filter((target) => !gone.has(`0 ${String(target)}`));
      }
    }
    if (this.#input !== undefined && inputIn(this.#document) === undefined) this.#document.input = this.#input;
    return this.#document;
  }

  // runs

  /** Applies in the order of writing: tasks, then the state, which may refer to them, then removals. */
  #changeRun(run: JsonRecord, change: JsonRecord): void {
    const { tasks, state, stateChange, stateShared, stateNames, without, order } = change;
    for (const name of ["base", "stop", "passed"]) if (Object.hasOwn(change, name)) run[name] = change[name];
    if (tasks !== undefined) for (const task of asItems(tasks)) this.#changeTask(run, task);
    if (state !== undefined) run.state = state;
    if ((stateChange ?? stateShared ?? stateNames) !== undefined) this.#changeState(run, change);
    if (change.base !== undefined) this.#removeBefore(run, asStep(change.base, -1, "the base of a run"));
    if (without !== undefined) for (const key of asTexts(without)) this.#removeTask(run, key);
    if (order !== undefined) this.#order(run, asTexts(order));
  }

  #changeTask(run: JsonRecord, task: JsonRecord): void {
    const tasks = this.#mapOf(run, "tasks", keyOfTask);
    if (task.at === undefined) {
      const key = keyOfTask(task);
      this.#resolveTask(task);
      this.#gone.get(run)?.delete(key);
      tasks.set(key, task);
      return;
    }
    const found = itemOf(tasks, task.at, "task");
    if (task.targets !== undefined) found.targets = task.targets;
    for (const name of ["visit", "route"]) {
      if (Object.hasOwn(task, name)) found[name] = this.#resolveInvocation(task[name]);
      const change = task[`${name}Change`];
      if (change !== undefined) {
        this.#changeInvocation(asRecord(found[name], "an invocation"), asRecord(change, "a change"));
      }
    }
  }

  // references of new parts to values that were saved before

  #resolveTask(task: JsonRecord): void {
    this.#resolveSlot(task, "output");
    this.#resolveInvocation(task.visit);
    this.#resolveInvocation(task.route);
  }

  #resolveInvocation(invocation: unknown): unknown {
    if (!isJsonRecord(invocation)) return invocation;
    this.#resolveSlot(invocation, "prepared");
    this.#resolveSlot(invocation, "produced");
    for (const { run } of partsOf(invocation.inner)) this.#resolveRun(run);
    for (const { visit } of partsOf(invocation.calls)) this.#resolveInvocation(visit);
    return invocation;
  }

  #resolveRun(run: unknown): void {
    if (isJsonRecord(run)) for (const task of partsOf(run.tasks)) this.#resolveTask(task);
  }

  #resolveSlot(owner: JsonRecord, name: string): void {
    const given = owner[name];
    const [slot]: unknown[] = Array.isArray(given) ? given : [];
    if (!isJsonRecord(slot) || !Object.hasOwn(slot, "tree")) return;
    owner[name] = [{ json: resolved(slot.tree, (address) => this.#at(address)) }];
  }

  /** Removes the tasks before the step from which the run continues. */
  #removeBefore(run: JsonRecord, base: number): void {
    const tasks = this.#mapOf(run, "tasks", keyOfTask);
    for (const [key, { step }] of tasks) if (typeof step === "number" && step < base) tasks.delete(key);
  }

  #removeTask(run: JsonRecord, key: string): void {
    this.#mapOf(run, "tasks", keyOfTask).delete(key);
    const gone = this.#gone.get(run) ?? new Set();
    this.#gone.set(run, gone.add(key));
  }

  #order(run: JsonRecord, keys: readonly string[]): void {
    const tasks = this.#mapOf(run, "tasks", keyOfTask);
    const ordered = keys.map((key) => [key, itemOf(tasks, key, "task")] as const);
    tasks.clear();
    for (const [key, task] of ordered) tasks.set(key, task);
  }

  #changeState(run: JsonRecord, { stateChange, stateShared, stateNames }: JsonRecord): void {
    const [slot] = asList(run.state, "a changed state", (item) => asRecord(item, "a state"));
    if (slot === undefined) throw unreadableCheckpoint("a change refers to a state that does not exist");
    const trees = sharingTree(slot);
    const change = { change: stateChange, shared: stateShared, names: stateNames };
    changeTrees(trees, change, (address) => this.#at(address));
    run.state = [trees];
  }

  // invocations

  #changeInvocation(invocation: JsonRecord, change: JsonRecord): void {
    const { questions, once, inner, calls, without } = change;
    for (const name of ["prepared", "produced"]) this.#resolveSlot(change, name);
    for (const name of ["settled", "prepared", "produced"]) {
      if (Object.hasOwn(change, name)) invocation[name] = change[name];
    }
    if (questions !== undefined) {
      invocation.questions = this.#changedQuestions(listIn(invocation, "questions"), asItems(questions));
    }
    if (once !== undefined) listIn(invocation, "once").push(...asAnyList(once));
    if (inner !== undefined) for (const one of asItems(inner)) this.#changeInner(invocation, one);
    if (calls !== undefined) for (const call of asItems(calls)) this.#changeCall(invocation, call);
    if (without === undefined) return;
    for (const key of asTexts(without)) this.#mapOf(invocation, "inner", keyOfInner).delete(key);
  }

  /** New questions have an `info`. Others with an answer have just got it, unless they say that it is not fresh. */
  #changedQuestions(questions: readonly unknown[], changes: readonly JsonRecord[]): unknown[] {
    const known = new Map(asItems(questions).map((question) => [question.id, question]));
    return changes.map((change) => {
      if (Object.hasOwn(change, "info")) return change;
      const { answer } = change;
      if (Array.isArray(answer)) this.#answered.push(change.id);
      return { ...known.get(change.id), ...(answer !== undefined && { fresh: true }), ...change };
    });
  }

  #changeInner(invocation: JsonRecord, one: JsonRecord): void {
    const inner = this.#mapOf(invocation, "inner", keyOfInner);
    if (one.at === undefined) {
      this.#resolveRun(one.run);
      inner.set(keyOfInner(one), one);
    } else this.#changeRun(asRecord(itemOf(inner, one.at, "run").run, "a run"), asRecord(one.change, "a change"));
  }

  #changeCall(invocation: JsonRecord, call: JsonRecord): void {
    const calls = this.#mapOf(invocation, "calls", keyOfCall);
    if (call.at === undefined) {
      this.#resolveInvocation(call.visit);
      calls.set(keyOfCall(call), call);
    } else
      this.#changeInvocation(
        asRecord(itemOf(calls, call.at, "call").visit, "a call"),
        asRecord(call.change, "a change"),
      );
  }

  // lookups

  #mapOf(owner: JsonRecord, name: string, keyOf: (item: JsonRecord) => string): Map<string, JsonRecord> {
    const list = listIn(owner, name);
    let map = this.#maps.get(list);
    if (map === undefined) {
      map = new Map(asItems(list).map((item) => [keyOf(item), item]));
      this.#maps.set(list, map);
    }
    return map;
  }

  /** A copy of the value that a state refers to. */
  #at(address: readonly unknown[]): unknown {
    const run = asRecord(this.#document.root, "the run");
    return structuredClone(this.#inRun(run, address));
  }

  #inRun(run: JsonRecord, [key, field, ...rest]: readonly unknown[]): unknown {
    const task = itemOf(this.#mapOf(run, "tasks", keyOfTask), key, "task");
    if (field === undefined || typeof field === "number")
      return partOf(task.output, field === undefined ? [] : [field, ...rest]);
    if (field === "output") return partOf(task.output, rest);
    if (field !== "visit" && field !== "route") throw noSuchValue();
    return this.#inInvocation(asRecord(task[field], "an invocation"), rest);
  }

  #inInvocation(invocation: JsonRecord, [list, key, ...rest]: readonly unknown[]): unknown {
    if (list === "inner") {
      const { run } = itemOf(this.#mapOf(invocation, "inner", keyOfInner), key, "run");
      return this.#inRun(asRecord(run, "a run"), rest);
    }
    if (list === "questions") {
      const question = asItems(listIn(invocation, "questions"))[asStep(key, 0, "the position of a question")];
      return partOf(question?.answer, rest);
    }
    if (list !== "calls") throw noSuchValue();
    const call = itemOf(this.#mapOf(invocation, "calls", keyOfCall), key, "call");
    if (rest[0] === "result") return partOf(call.result, rest.slice(1));
    return this.#inInvocation(asRecord(call.visit, "a call"), rest);
  }
}

/** The input of a run, as long as its START holds it. */
export function inputIn({ root }: JsonRecord): unknown {
  const { tasks }: JsonRecord = isJsonRecord(root) ? root : {};
  const start: unknown = Array.isArray(tasks)
    ? tasks.find((task) => isJsonRecord(task) && task.node === "start")
    : undefined;
  if (!isJsonRecord(start)) return undefined;
  return start.output ?? (start.chunks === undefined ? undefined : [start.chunks]);
}

const keyOfTask = ({ step, node }: JsonRecord): string => `${String(step)} ${asText(node, "the node of a task")}`;
const keyOfInner = ({ key }: JsonRecord): string => asText(key, "the key of a run");
const keyOfCall = ({ index }: JsonRecord): string => String(index);

function itemOf(map: ReadonlyMap<string, JsonRecord>, key: unknown, what: string): JsonRecord {
  const found = map.get(String(key));
  if (found === undefined) throw unreadableCheckpoint(`an entry names a ${what} that does not exist`);
  return found;
}

function partOf(slot: unknown, steps: readonly unknown[]): unknown {
  const [encoded] = asList(slot, "a value", (item) => asRecord(item, "a value"));
  let part: unknown = encoded?.json;
  for (const step of steps) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, String(step))) throw noSuchValue();
    part = Reflect.get(part, String(step));
  }
  if (part === undefined) throw noSuchValue();
  return part;
}

/** The list under a name, which is left out when it is empty. */
function listIn(owner: JsonRecord, name: string): unknown[] {
  owner[name] ??= [];
  return asAnyList(owner[name]);
}

const partsOf = (json: unknown): JsonRecord[] => (Array.isArray(json) ? json.filter(isJsonRecord) : []);

function asAnyList(json: unknown): unknown[] {
  if (Array.isArray(json)) return json;
  throw unreadableCheckpoint("a list is missing");
}

const asItems = (json: unknown): JsonRecord[] => asList(json, "a list", (item) => asRecord(item, "an item"));
const asTexts = (json: unknown): string[] => asList(json, "a list", (item) => asText(item, "an item"));
const noSuchValue = (): Error => unreadableCheckpoint("a state refers to a value that does not exist");
