import { type AgenticMessage, type CheckpointStore, textOf, toolCallsOf } from "kumiko";
import { type ThreadInfo, type Threads, type Turn, threads } from "kumiko/agents";
import { canBeSent } from "../../agents.js";
import type { StormLine } from "./storm-log.js";
import { followedBy, hashOf, saidIn, wrongOrderIn } from "./storm-turns.js";

/** All rows of a store at one moment. */
export type Snapshot = ReadonlyMap<string, string>;

interface Row {
  readonly number: number;
  readonly status: string;
  readonly requestId?: string;
  readonly mark?: string;
  readonly after?: string;
  readonly messages: readonly AgenticMessage[];
  readonly pushed?: readonly AgenticMessage[];
}

/** What is wrong with the threads of a store at one moment. */
export function mistakesIn(snapshot: Snapshot, { isCalm = false } = {}): string[] {
  const found = new Map<string, Row[]>();
  for (const [key, data] of snapshot) {
    const [, id, number] = /^~thread\/([^/]+)\/(\d{8})$/.exec(key) ?? [];
    if (id === undefined) continue;
    const row: Row = JSON.parse(data);
    if (row.number !== Number(number)) return [`${key} has the number ${row.number}`];
    found.set(id, [...(found.get(id) ?? []), row]);
  }
  return [...found].flatMap(([id, all]) => {
    const rows = turnsIn(all);
    return mistakesOf(rows, isCalm).map((mistake) => `${id}: ${mistake}, of ${told(rows)}`);
  });
}

/** Rows that do not follow the one before them are no turns. */
function turnsIn(rows: readonly Row[]): readonly Row[] {
  const end = rows.findIndex(({ number, after }, index) => number !== index + 1 || after !== rows[index - 1]?.mark);
  return end === -1 ? rows : rows.slice(0, end);
}

const told = (rows: readonly Row[]): string =>
  rows.map(({ number, status, messages }) => `${number} ${status} ${messages[0]?.id ?? ""}`).join(", ");

function mistakesOf(rows: readonly Row[], isCalm: boolean): string[] {
  const mistakes: string[] = [];
  const before: AgenticMessage[] = [];
  const requests = new Set<string>();
  for (const [index, { number, status, messages, requestId }] of rows.entries()) {
    const isOver = status !== "open" && status !== "waiting";
    // who resumes a turn while others begin the next one is seen for a moment, before either of them runs
    const hasNext = index < rows.length - 1 && (isCalm || status !== "open");
    if (!isOver && hasNext) mistakes.push(`turn ${number} is ${status}, and others come after it`);
    if (isOver && !canBeSent(messages)) mistakes.push(`turn ${number} cannot be sent`);
    if (requestId !== undefined && requests.has(requestId)) mistakes.push(`${requestId} has two turns`);
    if (requestId !== undefined) requests.add(requestId);
    const hash = hashOf(before);
    for (const seen of messages.flatMap(hashesIn)) {
      if (seen !== hash) mistakes.push(`turn ${number} has seen ${seen}, and ${hash} stands before it`);
    }
    before.push(...messages);
  }
  const wrong = wrongOrderIn(saidIn(before));
  if (wrong !== undefined) mistakes.push(wrong);
  for (const { number, pushed = [] } of rows) {
    const others = rows.filter((row) => row.number !== number).flatMap(({ messages }) => saidIn(messages));
    const twice = wrongOrderIn(saidIn(pushed)) ?? saidIn(pushed).find((id) => others.includes(id));
    if (twice !== undefined) mistakes.push(`what turn ${number} was told: ${twice}`);
  }
  for (const { number, status, messages } of rows) {
    const answer = messages.findLastIndex(({ role }) => role === "assistant");
    if (status === "done" && saidIn(messages.slice(answer)).length > 0)
      mistakes.push(`turn ${number} is done, and nobody answered ${saidIn(messages.slice(answer)).join()}`);
  }
  return mistakes;
}

/** What an answer says that it follows. */
function hashesIn(message: AgenticMessage): string[] {
  if (message.role !== "assistant") return [];
  const text = followedBy(textOf(message));
  const calls = toolCallsOf(message).flatMap(({ callId }) => callId.split(".").at(-3) ?? []);
  return text === undefined ? calls : [text, ...calls];
}

/** What was said to turns that took it, and stands no more in those of them that are there. */
export function lostIn(lines: readonly StormLine[], snapshot: Snapshot): string[] {
  const written = new Map<string, { readonly key: string; readonly mark?: string | undefined }>();
  const mistakes: string[] = [];
  for (const line of lines) {
    const op = `${line.life}:${line.op}`;
    if (line.k === "wrote" && line.said !== undefined)
      for (const id of line.said) if (!written.has(`${op} ${id}`)) written.set(`${op} ${id}`, line);
    if (line.k !== "pushed") continue;
    const turn = written.get(`${op} ${line.id}`);
    const data = turn && snapshot.get(turn.key);
    if (turn === undefined || data === undefined) continue;
    const { mark, status, messages, pushed = [] }: Row = JSON.parse(data);
    if (mark !== turn.mark) continue;
    const isOver = status !== "open" && status !== "waiting";
    const found = saidIn(isOver ? messages : [...messages, ...pushed]);
    if (!found.includes(line.id)) mistakes.push(`${line.id} is lost: ${turn.key} is ${status}, with ${found.join()}`);
  }
  return mistakes;
}

/** Errors that say what happened, and what to do. */
const codes = [
  "ALREADY_ANSWERED",
  "AMBIGUOUS_INTERRUPT",
  "ANSWER_MISMATCH",
  "CHECKPOINT_CONFLICT",
  "CHECKPOINT_IN_USE",
  "CHECKPOINT_LOST",
  "CHECKPOINT_PENDING",
  "INVALID_OPTION",
  "THREAD_BUSY",
  "THREAD_OF_OTHER_USER",
  "THREAD_WAITING",
  "TIMEOUT",
  "UNKNOWN_CHECKPOINT",
  "UNKNOWN_INTERRUPT",
  "UNKNOWN_MESSAGE",
];

/** What a log shows that may not be. `killed` are the processes that have not ended by themselves. */
export function mistakesInLog(lines: readonly StormLine[], killed: ReadonlySet<number>): string[] {
  return [...wrongEnds(lines, killed), ...ranTwice(lines), ...begunTwice(lines)];
}

function wrongEnds(lines: readonly StormLine[], killed: ReadonlySet<number>): string[] {
  const open = new Map<string, string>();
  const mistakes: string[] = [];
  for (const line of lines) {
    const name = `${line.life}:${line.op}`;
    if (line.k === "call") open.set(name, line.what);
    if (line.k === "end") open.delete(name);
    if (line.k === "unhandled") mistakes.push(`unhandled in ${name}: ${line.message}`);
    if (line.k === "mistake") mistakes.push(line.message);
    if (line.k !== "end" || line.code === undefined) continue;
    const isStopped = ["~AbortError", "~TimeoutError"].includes(line.code);
    const isScripted = line.message?.includes("scripted failure") === true;
    if (isStopped || isScripted || codes.includes(line.code)) continue;
    mistakes.push(`${name} ${line.what} ended with ${line.code}: ${line.message}`);
  }
  for (const [name, what] of open) {
    if (!killed.has(Number(name.split(":")[0]))) mistakes.push(`${name} ${what} never ended`);
  }
  return mistakes;
}

/** Calls of models and tools that were made again although their outcome had been saved. */
function ranTwice(lines: readonly StormLine[]): string[] {
  const mistakes: string[] = [];
  const done = new Map<string, DoneCall>();
  /** What each operation asks a model for; where it has saved last; whether it was stopped. */
  const asking = new Map<string, string>();
  const saves = new Map<string, number>();
  const stopped = new Set<string>();
  for (const [at, line] of lines.entries()) {
    const op = `${line.life}:${line.op}`;
    if ("key" in line && line.key.endsWith("/run")) {
      if (line.k === "wrote") saves.set(op, at);
      for (const one of done.values()) if (one.op === op) noteSave(one, line.k, at);
    }
    if (line.k === "end" && (line.said === "left" || line.code?.startsWith("~") === true)) stopped.add(op);
    const doubled = line.k === "asked" ? wrongOrderIn(line.said) : undefined;
    if (doubled !== undefined) mistakes.push(`a model was shown ${doubled} (line ${at})`);
    if (line.k === "model") asking.set(op, `${line.attempt} ${line.what}`);
    if (line.k === "answered") done.set(asking.get(op) ?? "", { op, begun: 0, saves: [] });
    if (line.k === "tooled") done.set(`${line.attempt} ${line.what}`, { op, begun: 0, saves: [] });
    if (line.k !== "asked" && line.k !== "tool") continue;
    const what = line.k === "tool" ? `${line.attempt} ${line.what}` : (asking.get(op) ?? "");
    const former = done.get(what);
    if (former === undefined) continue;
    if (former.op === op && line.k === "tool") mistakes.push(`${what} ran twice in ${op} (line ${at})`);
    // who is stopped just then may save once more without it
    const saved = former.saves[stopped.has(former.op) ? 1 : 0];
    if (former.op !== op && saved !== undefined && (saves.get(op) ?? -1) > saved)
      mistakes.push(`${line.k} ${what}: saved by ${former.op} (line ${saved}), and again in ${op} (line ${at})`);
  }
  return mistakes;
}

/** A call that is over. */
interface DoneCall {
  readonly op: string;
  /** How many saves have begun since, and where they were acknowledged. */
  begun: number;
  readonly saves: number[];
}

function noteSave(call: DoneCall, kind: StormLine["k"], at: number): void {
  if (kind === "write") call.begun += 1;
  if (kind === "wrote" && call.begun > call.saves.length) call.saves.push(at);
}

/** Prompts that were asked again although their turn was done, and still there. */
function begunTwice(lines: readonly StormLine[]): string[] {
  const mistakes: string[] = [];
  /** Where the turn of a prompt is that is done. */
  const done = new Map<string, string>();
  const threadOf = (key: string): string => key.split("/")[1] ?? "";
  for (const [at, line] of lines.entries()) {
    if (!("key" in line) || !/\/\d{8}$/.test(line.key)) continue;
    const { k, key, prompt, status } = line;
    const name = `${threadOf(key)} ${prompt}`;
    if (
      k === "write" &&
      status === "open" &&
      prompt?.startsWith("r-") === true &&
      done.has(name) &&
      done.get(name) !== key &&
      wasWritten(lines, at)
    )
      mistakes.push(`${name} is done at ${done.get(name)}, and begins again at ${key} (line ${at})`);
    // from the moment on at which it may be gone, it may begin again
    if (k === "write" || k === "remove") for (const [one, where] of done) if (where === key) done.delete(one);
    if (k === "wrote" && status === "done" && prompt?.startsWith("r-") === true) done.set(name, key);
  }
  return mistakes;
}

/** Whether a write was not refused: a turn that was taken away by force still tries to write what it has come to. */
function wasWritten(lines: readonly StormLine[], at: number): boolean {
  const begun = lines[at];
  const isOutcome = (line: StormLine): boolean =>
    line.life === begun?.life && line.op === begun.op && (line.k === "wrote" || line.k === "refused");
  return lines.slice(at + 1).find(isOutcome)?.k === "wrote";
}

export async function listed(from: Threads, options?: Parameters<Threads["list"]>[0]): Promise<ThreadInfo[]> {
  const infos: ThreadInfo[] = [];
  for await (const info of from.list(options)) infos.push(info);
  return infos;
}

/** What lists and infos say of threads that rest, and the turns do not. */
export async function mistakesInLists(
  store: CheckpointStore,
  snapshot: Snapshot,
  { hasKills }: { readonly hasKills: boolean },
): Promise<string[]> {
  const all = threads(store);
  const mistakes: string[] = [];
  const expectSame = (what: string, one: unknown, other: unknown): void => {
    const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
    if (left !== right) mistakes.push(`${what}: ${left}, and the turns say ${right}`);
  };
  const ids = new Set([...snapshot.keys()].flatMap((key) => /^~thread\/([^/]+)\/00000001$/.exec(key)?.[1] ?? []));
  const real: {
    readonly id: string;
    readonly userId: string | undefined;
    readonly waits: boolean;
    readonly turns: number;
  }[] = [];
  for (const id of [...ids].toSorted()) {
    const turns: Turn[] = [];
    for await (const turn of all.turns(id)) turns.push(turn);
    const info = await all.info(id);
    const last = turns.at(-1);
    if (turns.some(({ status }) => status === "running")) mistakes.push(`${id} runs`);
    expectSame(`turns of ${id}`, info?.turns, last?.number);
    // a process that was killed may not have written yet that its run waits
    expectSame(`questions of ${id}`, info?.interrupts, last?.status === "waiting" ? last.interrupts : []);
    const first = JSON.parse(snapshot.get(`~thread/${id}/00000001`) ?? "{}");
    expectSame(`user of ${id}`, info?.userId, first.userId);
    real.push({ id, userId: info?.userId, waits: last?.status === "waiting", turns: turns.length });
  }
  const idsOf = (infos: readonly { readonly id: string }[]) => infos.map(({ id }) => id).toSorted();
  const everything = await listed(all);
  for (const { id, waits } of real) {
    const asks = everything.some((info) => info.id === id && info.interrupts.length > 0);
    if (asks !== waits) mistakes.push(`the list says of ${id} that it ${asks ? "waits" : "does not wait"}`);
  }
  expectSame("all threads", idsOf(everything), idsOf(real));
  for (const { id, turns } of real) {
    const said = everything.find((info) => info.id === id)?.turns ?? 0;
    // of a turn that was cut off, the list does not know
    const isOpen =
      JSON.parse(snapshot.get(`~thread/${id}/${String(turns).padStart(8, "0")}`) ?? "{}").status === "open";
    // who dies just when a turn has stopped tells nobody
    if (said !== turns && !((isOpen || hasKills) && said === turns - 1))
      mistakes.push(`the list says ${said} turns of ${id}, of ${turns}`);
  }
  expectSame("all that wait", idsOf(await listed(all, { waiting: true })), idsOf(real.filter(({ waits }) => waits)));
  for (const userId of ["ann", "bob"]) {
    const own = real.filter((thread) => thread.userId === userId);
    expectSame(`threads of ${userId}`, idsOf(await listed(all, { userId })), idsOf(own));
    const waiting = await listed(all, { userId, waiting: true });
    expectSame(`what waits of ${userId}`, idsOf(waiting), idsOf(own.filter(({ waits }) => waits)));
  }
  return mistakes;
}
