import { quoted } from "../values/quoted.js";
import { savedFormOf } from "../values/saved-form.js";
import { StateCopy } from "../values/state-copy.js";
import type { ValueCodec } from "../values/value-codec.js";
import { JsonFields } from "./fields.js";
import { LiveValues, type ValueAddress } from "./live-values.js";
import type { Answer, InvocationSnapshot, Question, RunSnapshot, Slot, TaskSnapshot } from "./snapshot.js";
import { stateName, texts, Writer } from "./write-document.js";

interface WrittenQuestion {
  readonly id: string;
  readonly answer: Answer | undefined;
  readonly fresh: boolean;
}

interface WrittenCall {
  readonly result: Slot | undefined;
  readonly visit: WrittenInvocation | undefined;
}

interface WrittenInner {
  readonly result: Slot | undefined;
  readonly run: WrittenRun | undefined;
}

/** The last saved form of an invocation. */
interface WrittenInvocation {
  settled: boolean;
  questions: readonly WrittenQuestion[];
  once: number;
  prepared: Slot | undefined;
  produced: Slot | undefined;
  readonly inner: Map<string, WrittenInner>;
  readonly calls: Map<number, WrittenCall>;
}

/** The last saved form of a task. */
interface WrittenTask {
  snapshot: TaskSnapshot;
  visit: WrittenInvocation | undefined;
  route: WrittenInvocation | undefined;
  /** The number of the last save that contained it. */
  round: number;
}

interface TakenState {
  readonly copy: StateCopy;
  readonly text: string;
}

/** The last saved form of a run. */
interface WrittenRun {
  readonly address: string;
  base: number;
  state: StateCopy | undefined;
  stop: string;
  passed: string;
  readonly tasks: Map<string, WrittenTask>;
  /** Keys of targets that have ended since the last save. Some may never have been in a save. */
  served: string[];
}

/** Where a part of a run is: its path for errors, and its address for references. */
interface Place {
  /** The keys of the nodes on the way, joined by `/`. */
  readonly path: string;
  readonly address: ValueAddress;
}

/**
 * Remembers what a checkpoint holds of a run, and writes what has changed since. Values are compared by identity, because what
 * has ended does not change. Only states are compared part by part.
 */
export class WrittenDocument {
  readonly #codec: ValueCodec;
  /** Writes whole documents. */
  readonly #writer: Writer;
  /** Writes parts of entries. */
  readonly #brief: Writer;
  #values = new LiveValues();
  /** The states of runs that are being written as a whole: what is remembered of a state must be what its text says. */
  #states = new Map<RunSnapshot, TakenState>();
  #root: WrittenRun | undefined = undefined;
  #round = 0;
  /** Ids of the questions to which the last {@link update} has written an answer. */
  answered: string[] = [];
  /** Whether the run is taken as it was read. */
  #isRead = false;

  constructor(codec: ValueCodec) {
    this.#codec = codec;
    const stateOf = (run: RunSnapshot, state: Slot, path: string): string => this.#takeState(run, state, path).text;
    this.#writer = new Writer(codec, { stateOf });
    this.#brief = new Writer(codec, { stateOf, treeOf: (value) => this.treeOf(value) });
  }

  /** The text of a value with references to what was saved; `undefined` when nothing of it was. */
  treeOf(value: unknown): string | undefined {
    return this.#values.treeOf(value);
  }

  /** Writes the whole run. */
  write(run: RunSnapshot): string {
    this.#take(run);
    this.#writer.input = undefined;
    const text = this.#writer.run(run, "");
    this.#states.clear();
    return text;
  }

  /** The input of the run, if it was in what was written as a whole. */
  get input(): string | undefined {
    return this.#writer.input;
  }

  /** Takes the run as it was read for what was saved. To be called before anything in it is changed. */
  takeRead(run: RunSnapshot): void {
    this.#isRead = true;
    try {
      this.#take(run);
    } finally {
      this.#isRead = false;
      this.#states.clear(); // they have no text
    }
  }

  #take(run: RunSnapshot): void {
    this.#values = new LiveValues();
    this.#states.clear();
    this.#root = this.#run(run, top);
  }

  /** Writes what has changed since; an empty string when nothing has. After an error, only {@link write} may follow. */
  update(run: RunSnapshot): string {
    const root = this.#root;
    this.#states.clear();
    this.#round++;
    if (this.answered.length > 0) this.answered = [];
    const text = root === undefined ? "" : this.#changeOfRun(root, run, top);
    this.#states.clear();
    return text;
  }

  // remembering what was saved

  #run(run: RunSnapshot, place: Place): WrittenRun {
    const written: WrittenRun = {
      address: run.address,
      base: run.base,
      state: run.state && this.#takeState(run, run.state, place.path).copy,
      stop: this.#writer.stopText(run.stop, place.path),
      passed: texts(run.passed),
      tasks: new Map(),
      served: [],
    };
    for (const task of run.tasks) written.tasks.set(keyOf(task), this.#task(task, place));
    return written;
  }

  /** Taken once, whether it is written or remembered first. */
  #takeState(run: RunSnapshot, { value }: Slot, path: string): TakenState {
    let taken = this.#states.get(run);
    if (taken === undefined) {
      const copy = new StateCopy(this.#codec, stateName(path));
      if (this.#isRead) copy.takeRead(value, savedFormOf(value));
      taken = { copy, text: this.#isRead ? "" : copy.take(value) };
      this.#states.set(run, taken);
      this.#values.isUsed = true;
    }
    return taken;
  }

  #task(snapshot: TaskSnapshot, place: Place): WrittenTask {
    const { visit, route, output } = snapshot;
    const { path, address } = insideOf(place, snapshot);
    const task: WrittenTask = { snapshot, visit: undefined, route: undefined, round: this.#round };
    if (this.#values.isUsed) this.#values.note(task, output, address, "output");
    task.visit = visit && this.#invocation(visit, { path, address: [...address, "visit"] });
    task.route = route && this.#invocation(route, { path, address: [...address, "route"] });
    return task;
  }

  #invocation(invocation: InvocationSnapshot, place: Place): WrittenInvocation {
    const { settled, questions, once, prepared, produced, inner, calls } = invocation;
    const written: WrittenInvocation = {
      settled,
      questions: questions.map(asWritten),
      once: once.length,
      prepared,
      produced,
      inner: new Map(),
      calls: new Map(),
    };
    this.#noteAnswers(written, questions, place);
    for (const one of inner) written.inner.set(one.key, this.#inner(one, place));
    for (const call of calls) written.calls.set(call.index, this.#call(call, place));
    return written;
  }

  /** An answer is often kept elsewhere too, such as a message in a state. */
  #noteAnswers(written: WrittenInvocation, questions: readonly Question[], { address }: Place): void {
    if (!this.#values.isUsed) return;
    for (const [index, { answer }] of questions.entries()) {
      if (answer?.hasData === true)
        this.#values.note(written, { value: answer.data }, [...address, "questions", index]);
    }
  }

  #inner({ key, result, run }: InvocationSnapshot["inner"][number], place: Place): WrittenInner {
    return { result, run: run && this.#run(run, innerOf(place, key)) };
  }

  #call({ index, result, visit }: InvocationSnapshot["calls"][number], place: Place): WrittenCall {
    const address = [...place.address, "calls", index];
    const call: WrittenCall = { result, visit: visit && this.#invocation(visit, { ...place, address }) };
    if (this.#values.isUsed) this.#values.note(call, result, [...address, "result"]);
    return call;
  }

  // what has changed

  /** Tasks come first, so that the state can refer to their outputs; removals come last. */
  #changeOfRun(written: WrittenRun, run: RunSnapshot, place: Place): string {
    const fields = new JsonFields();
    const isMoved = run.base !== written.base;
    if (isMoved) fields.add("base", String(run.base));
    written.base = run.base;
    fields.addList("tasks", run.tasks, (task) => this.#changeOfTask(written, task, place));
    this.#changeState(fields, written, run, place.path);
    const stop = this.#writer.stopText(run.stop, place.path);
    if (stop !== written.stop) fields.add("stop", stop);
    written.stop = stop;
    const passed = texts(run.passed);
    if (passed !== written.passed) fields.add("passed", passed);
    written.passed = passed;
    fields.add("without", this.#goneTasks(written, isMoved));
    if (!isInOrder(written, run)) fields.add("order", this.#reorder(written, run));
    return fields.text;
  }

  #changeOfTask(written: WrittenRun, task: TaskSnapshot, place: Place): string {
    const key = keyOf(task);
    const before = written.tasks.get(key);
    if (before === undefined || !isSameOutcome(before.snapshot, task)) {
      // written before the old values are forgotten: it may refer to them
      const text = this.#brief.task(task, place.path, written.address);
      if (before !== undefined) this.#forgetTask(before);
      written.tasks.set(key, this.#task(task, place));
      return text;
    }
    before.round = this.#round;
    // open invocations are changed in place, by answers
    if (before.snapshot === task && (task.visit ?? task.route) === undefined) return "";
    const fields = new JsonFields();
    if (before.snapshot.targets === undefined && task.targets !== undefined) fields.add("targets", texts(task.targets));
    else noteServed(written, before.snapshot.targets, task.targets);
    if ((before.visit ?? before.route ?? task.visit ?? task.route) !== undefined) {
      const inside = { ...insideOf(place, task), usual: `${written.address};node:${task.node}` };
      before.visit = this.#changeInvocation(fields, "visit", before.visit, task.visit, inside);
      before.route = this.#changeInvocation(fields, "route", before.route, task.route, inside);
    }
    before.snapshot = task;
    return fields.isEmpty ? "" : `{"at":${quoted(key)},${fields.inner}}`;
  }

  #changeInvocation(
    fields: JsonFields,
    name: "visit" | "route",
    before: WrittenInvocation | undefined,
    now: InvocationSnapshot | undefined,
    { path, address, usual }: Place & { readonly usual: string },
  ): WrittenInvocation | undefined {
    const place = { path: name === "visit" ? path : `${path} (branch)`, address: [...address, name] };
    if (before === undefined || now === undefined) {
      if (now !== undefined) fields.add(name, this.#brief.invocation(now, place.path, usual));
      else if (before !== undefined) fields.add(name, "null");
      if (before !== undefined) this.#forgetInvocation(before);
      return now && this.#invocation(now, place);
    }
    fields.add(`${name}Change`, this.#changeOfInvocation(before, now, place));
    return before;
  }

  #changeOfInvocation(before: WrittenInvocation, now: InvocationSnapshot, place: Place): string {
    const fields = new JsonFields();
    if (now.settled !== before.settled) fields.add("settled", String(now.settled));
    before.settled = now.settled;
    if (!isSameList(before.questions, now.questions, isSameQuestion)) {
      fields.add("questions", this.#questions(before.questions, now, place.path));
      before.questions = now.questions.map(asWritten);
      this.#values.forget(before);
      this.#noteAnswers(before, now.questions, place);
    }
    fields.addList("once", now.once.slice(before.once), (entry) => this.#brief.once(entry, place.path));
    before.once = now.once.length;
    this.#changeSlot(fields, before, now, "prepared", `input of "${place.path}"`);
    this.#changeSlot(fields, before, now, "produced", `output of "${place.path}"`);
    this.#changeInner(fields, before, now, place);
    fields.addList("calls", now.calls, (call) => this.#changeOfCall(before, call, place));
    return fields.text;
  }

  /** Of a known question only a changed answer is written. */
  #questions(before: readonly WrittenQuestion[], { questions, address }: InvocationSnapshot, at: string): string {
    const known = new Map(before.map((question) => [question.id, question]));
    const written = questions.map((question) => {
      const former = known.get(question.id);
      if (former === undefined) return this.#brief.question(question, at, address);
      if (former.answer !== question.answer) {
        if (question.answer !== undefined) this.answered.push(question.id);
        return this.#brief.answerOf(question, at);
      }
      const fresh = former.fresh === question.fresh ? "" : `,"fresh":${question.fresh}`;
      return `{"id":${quoted(question.id)}${fresh}}`;
    });
    return `[${written.join(",")}]`;
  }

  #changeSlot(
    fields: JsonFields,
    before: WrittenInvocation,
    now: InvocationSnapshot,
    name: "prepared" | "produced",
    what: string,
  ): void {
    const slot = now[name];
    if (!isSameSlot(before[name], slot)) fields.add(name, slot === undefined ? "null" : this.#brief.part(slot, what));
    before[name] = slot;
  }

  #changeInner(fields: JsonFields, before: WrittenInvocation, now: InvocationSnapshot, place: Place): void {
    fields.addList("inner", now.inner, (one) => this.#changeOfInner(before, one, place));
    if (before.inner.size === now.inner.length) return;
    const keys = new Set(now.inner.map(({ key }) => key));
    const gone = [...before.inner.keys()].filter((key) => !keys.has(key));
    for (const key of gone) {
      const inner = before.inner.get(key);
      if (inner?.run !== undefined) this.#forgetRun(inner.run);
      before.inner.delete(key);
    }
    fields.add("without", texts(gone));
  }

  #changeOfInner(written: WrittenInvocation, now: InvocationSnapshot["inner"][number], place: Place): string {
    const before = written.inner.get(now.key);
    if (before?.run !== undefined && now.run !== undefined && now.result === undefined) {
      const change = this.#changeOfRun(before.run, now.run, innerOf(place, now.key));
      return change === "" ? "" : `{"at":${quoted(now.key)},"change":${change}}`;
    }
    if (before !== undefined && isSameSlot(before.result, now.result) && before.run === now.run) return "";
    const text = this.#brief.inner(now, place.path);
    if (before?.run !== undefined) this.#forgetRun(before.run);
    written.inner.set(now.key, this.#inner(now, place));
    return text;
  }

  #changeOfCall(written: WrittenInvocation, now: InvocationSnapshot["calls"][number], place: Place): string {
    const before = written.calls.get(now.index);
    if (before?.visit !== undefined && now.visit !== undefined) {
      const inside = { path: `${place.path} (call "${now.callId}")`, address: [...place.address, "calls", now.index] };
      const change = this.#changeOfInvocation(before.visit, now.visit, inside);
      return change === "" ? "" : `{"at":${now.index},"change":${change}}`;
    }
    if (before !== undefined && isSameSlot(before.result, now.result) && before.visit === now.visit) return "";
    const text = this.#brief.call(now, place.path);
    if (before !== undefined) this.#forgetCall(before);
    written.calls.set(now.index, this.#call(now, place));
    return text;
  }

  #changeState(fields: JsonFields, written: WrittenRun, run: RunSnapshot, path: string): void {
    const { state } = run;
    if (written.state === undefined || state === undefined) {
      if (written.state === undefined && state === undefined) return;
      const taken = state && this.#takeState(run, state, path);
      written.state = taken?.copy;
      fields.add("state", taken === undefined ? "null" : `[${taken.text}]`);
      return;
    }
    const found = written.state.update(state.value, this.#values);
    if (found === undefined) return;
    if ("whole" in found) {
      fields.add("state", `[${found.whole}]`);
      return;
    }
    fields.add("stateChange", found.change);
    fields.add("stateShared", found.shared);
    fields.add("stateNames", found.names);
  }

  /** When the base has moved, the tasks before it need not be listed. */
  #goneTasks(written: WrittenRun, isMoved: boolean): string {
    const { tasks } = written;
    const gone = written.served.filter((key) => !tasks.has(key));
    written.served = [];
    for (const [key, task] of tasks) {
      if (task.round === this.#round) continue;
      if (!isMoved || task.snapshot.step >= written.base) gone.push(key);
      this.#forgetTask(task);
      tasks.delete(key);
    }
    return gone.length === 0 ? "" : texts(gone);
  }

  /** Tasks of an earlier process come after those started since, until they are started again. */
  #reorder({ tasks }: WrittenRun, run: RunSnapshot): string {
    const keys = run.tasks.map(keyOf);
    const found = keys.map((key) => [key, tasks.get(key)] as const);
    tasks.clear();
    for (const [key, task] of found) if (task !== undefined) tasks.set(key, task);
    return texts(keys);
  }

  // forgetting what the document no longer holds

  #forgetRun({ tasks }: WrittenRun): void {
    for (const task of tasks.values()) this.#forgetTask(task);
  }

  #forgetTask(task: WrittenTask): void {
    this.#values.forget(task);
    if (task.visit !== undefined) this.#forgetInvocation(task.visit);
    if (task.route !== undefined) this.#forgetInvocation(task.route);
  }

  #forgetInvocation(written: WrittenInvocation): void {
    const { inner, calls } = written;
    this.#values.forget(written);
    for (const { run } of inner.values()) if (run !== undefined) this.#forgetRun(run);
    for (const call of calls.values()) this.#forgetCall(call);
  }

  #forgetCall(call: WrittenCall): void {
    this.#values.forget(call);
    if (call.visit !== undefined) this.#forgetInvocation(call.visit);
  }
}

const top: Place = { path: "", address: [] };

/** The key of a task in the list of its run. */
function keyOf({ step, node }: TaskSnapshot): string {
  return `${step} ${node}`;
}

function insideOf({ path, address }: Place, task: TaskSnapshot): Place {
  return { path: path === "" ? task.node : `${path}/${task.node}`, address: [...address, keyOf(task)] };
}

function innerOf({ path, address }: Place, key: string): Place {
  return { path: key === "" ? path : `${path}/${key}`, address: [...address, "inner", key] };
}

function asWritten({ id, answer, fresh }: Question): WrittenQuestion {
  return { id, answer, fresh };
}

function isSameQuestion(a: WrittenQuestion, b: WrittenQuestion): boolean {
  return a.id === b.id && a.answer === b.answer && a.fresh === b.fresh;
}

/** In a graph without steps, a reader of the document drops targets that it knows to have ended. So they are listed. */
function noteServed(written: WrittenRun, before: readonly string[] = [], now: readonly string[] = []): void {
  if (before.length === now.length) return;
  const open = new Set(now);
  for (const target of before) if (!open.has(target)) written.served.push(`0 ${target}`);
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSame: (a: T, b: T) => boolean): boolean {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index] as T));
}

function isSameSlot(a: Slot | undefined, b: Slot | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Object.is(a.value, b.value));
}

function isSameOutcome(a: TaskSnapshot, b: TaskSnapshot): boolean {
  if (a === b || isWithoutOutput(a, b)) return true;
  if (a.done !== b.done || a.kind !== b.kind || a.chunks !== b.chunks || a.failed !== b.failed) return false;
  if (a.keepsState !== b.keepsState) return false;
  return isSameSlot(a.output, b.output) && isSameSlot(a.unjoinable, b.unjoinable);
}

/** Whether the only change is that the output is no longer needed: that is written when the task is removed. */
function isWithoutOutput(before: TaskSnapshot, now: TaskSnapshot): boolean {
  if (!before.done || !now.done || before.kind !== now.kind) return false;
  const had = (before.output ?? before.chunks) !== undefined;
  return had && (now.output ?? now.chunks ?? now.unjoinable) === undefined;
}

function isInOrder({ tasks }: WrittenRun, run: RunSnapshot): boolean {
  if (run.tasks.length < 2) return true;
  let index = 0;
  for (const key of tasks.keys()) {
    const task = run.tasks[index++];
    if (task === undefined || keyOf(task) !== key) return false;
  }
  return true;
}
