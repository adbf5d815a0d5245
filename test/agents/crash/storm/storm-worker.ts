/** A process that does random things to a few threads: `node storm-worker.mjs <settings as JSON>`. It notes all in a file. */
import { KumikoError, textOf, userMessage } from "kumiko";
import { type AgentCallOptions, threads } from "kumiko/agents";
import { postgresStore } from "kumiko/postgres";
import { sqliteStore } from "kumiko/sqlite";
import { dice } from "../../../crash/dice.js";
import { notedStore, openNotes, operation, stormAgent } from "./storm-agent.js";
import type { StormSettings } from "./storm-log.js";
import { makePlan, planIn, saidId } from "./storm-turns.js";

const settings: StormSettings = JSON.parse(process.argv[2] ?? "");
const { sqlite, postgres } = settings.store;
const opened = sqlite === undefined ? postgresStore({ connectionString: postgres ?? "" }) : sqliteStore(sqlite);
const note = openNotes(settings);
const store = notedStore(opened, note);
const agent = stormAgent(store, note);
const all = threads(store);
const roll = dice(settings.seed);
const isOneOf = (sides: number): boolean => roll(sides) === 0;
const pick = <T>(values: readonly T[]): T => values[roll(values.length)] as T;

process.on("unhandledRejection", (error) =>
  note({ k: "unhandled", message: String((error as Error)?.stack ?? error) }),
);

let prompts = 0;
/** A prompt that is asked once. */
function newPrompt() {
  prompts += 1;
  const plan = makePlan(`p${settings.life}-${prompts}`, roll);
  return userMessage(JSON.stringify(plan), { id: plan.n });
}

/** A request that all processes make. */
function sharedRequest(thread: string, number: number) {
  const requestId = `r-${thread}-${number}`;
  const seed = [...requestId].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, settings.threads.length);
  return { requestId, prompt: userMessage(JSON.stringify(makePlan(requestId, dice(seed))), { id: requestId }) };
}

const users = ["ann", "bob"] as const;

/** How a turn is asked for. */
function callOptions(thread: string): AgentCallOptions {
  return {
    threadId: thread,
    ...(isOneOf(4) && { userId: pick(users) }),
    ...(!isOneOf(3) && { onBusy: "wait" }),
    ...(!isOneOf(3) && { onWaiting: "close" }),
    ...(isOneOf(12) && { takeover: true }),
    ...(isOneOf(15) && { timeoutMs: 20 + roll(100) }),
    ...(isOneOf(15) && { signal: AbortSignal.timeout(roll(100)) }),
  };
}

/** Reads a turn as it comes; what was delivered of an aborted one must stay. */
async function read(prompt: Parameters<typeof agent.stream>[0], name: string, options: AgentCallOptions) {
  const stream = agent.stream(prompt, options);
  let left = isOneOf(6) ? 1 + roll(8) : Number.POSITIVE_INFINITY;
  let text = "";
  try {
    for await (const event of stream) {
      if (event.type === "text_delta") text += event.delta;
      if (event.type === "step_start" || event.type === "restart") text = "";
      left -= 1;
      if (left === 0) break;
    }
    if (left === 0) return "left";
    return (await stream.result).finishReason;
  } catch (error) {
    if (!KumikoError.is(error) && text !== "") await expectDelivered(options.threadId ?? "", name, text);
    throw error;
  }
}

async function expectDelivered(thread: string, name: string, text: string): Promise<void> {
  for await (const { status, messages } of all.turns(thread)) {
    if (status !== "aborted" || !messages.some((message) => planIn(message)?.n === name)) continue;
    // what was said to it meanwhile stands behind its answer
    const last = messages.findLast(({ role }) => role === "assistant");
    const isKept = last !== undefined && textOf(last).startsWith(text);
    if (!isKept) note({ k: "mistake", message: `"${text}" was delivered by ${thread} ${name}, but is not kept` });
  }
}

async function ask(options: AgentCallOptions): Promise<unknown> {
  const prompt = newPrompt();
  if (isOneOf(2)) return read(prompt, prompt.id ?? "", options);
  return (await agent.generate(prompt, options)).finishReason;
}

async function post(thread: string): Promise<unknown> {
  const { requestId, prompt } = sharedRequest(thread, roll(12));
  const options = { ...callOptions(thread), requestId };
  const given = isOneOf(12) ? newPrompt() : prompt;
  if (isOneOf(2)) return read(given, given.id ?? "", options);
  return (await agent.generate(given, options)).finishReason;
}

async function replace(thread: string): Promise<unknown> {
  const messages = (await all.messages(thread)).filter((message) => planIn(message) !== undefined);
  const count = (await all.info(thread))?.turns ?? 0;
  if (count === 0) return "empty";
  const at = pick([0, Math.floor(messages.length / 2), messages.length - 1]);
  const replaces = isOneOf(20) ? "nobody" : isOneOf(2) ? `turn-${1 + roll(count)}` : messages[at]?.id;
  return ask({ ...callOptions(thread), replaces });
}

/** The answers that this process has given. */
const given: Record<string, unknown>[] = [];

async function answer(thread: string): Promise<unknown> {
  const { interrupts = [] } = (await all.info(thread)) ?? {};
  const right = Object.fromEntries(interrupts.map(({ id }) => [id, { approved: roll(4) > 0 }]));
  const [first] = interrupts;
  const one = first === undefined ? {} : { [first.id]: { approved: true } };
  const wrong = first === undefined ? { nobody: 5 } : { [first.id]: { approved: "perhaps" } };
  const answers = pick([right, right, right, right, one, wrong, { nobody: 1 }, {}, undefined, given.at(-1)]);
  if (answers === right) given.push(right);
  const options = { ...(isOneOf(10) && { takeover: true }), ...(isOneOf(8) && { userId: pick(users) }) };
  if (isOneOf(2)) return (await agent.resume({ threadId: thread }, answers, options)).finishReason;
  const stream = agent.resumeStream({ threadId: thread }, answers, options);
  for await (const _event of stream);
  return (await stream.result).finishReason;
}

/** How much each lane has said to each thread. */
const saidBy = new Map<string, number>();

/** Says something to the turn that runs, now and then twice, as a client does that has got no answer. */
async function push(thread: string, lane: number): Promise<unknown> {
  const name = `${lane} ${thread}`;
  const number = (saidBy.get(name) ?? 0) + 1;
  saidBy.set(name, number);
  const id = saidId(`${settings.life}.${lane}`, number);
  const say = (): Promise<boolean> => all.push(thread, userMessage(`I say ${id}`, { id }));
  const said = await Promise.allSettled(isOneOf(4) ? [say(), say()] : [say()]);
  if (isOneOf(6)) said.push(...(await Promise.allSettled([say()])));
  const failed = said.find((one) => one.status === "rejected");
  const isSaid = said.some((one) => one.status === "fulfilled" && one.value);
  if (isSaid) note({ k: "pushed", id });
  else if (failed !== undefined) throw failed.reason;
  return isSaid;
}

async function look(thread: string): Promise<unknown> {
  switch (roll(8)) {
    case 0:
      return (await all.info(thread))?.turns;
    case 1: {
      let count = 0;
      for await (const _turn of all.turns(thread)) count += 1;
      return count;
    }
    case 2:
      return (await all.messages(thread)).length;
    default: {
      const user = isOneOf(2) ? { userId: pick(users) } : {};
      let count = 0;
      for await (const _info of all.list({ ...user, ...(isOneOf(3) && { waiting: true }) })) count += 1;
      return count;
    }
  }
}

async function change(thread: string): Promise<unknown> {
  const count = (await all.info(thread))?.turns ?? 0;
  switch (roll(12)) {
    case 0:
    case 1:
      return all.append(thread, [userMessage(`note ${prompts}`)]);
    case 2:
    case 3:
      return all.truncate(thread, count < 2 ? count : roll(count + 1));
    case 4: {
      const to = `copy-${settings.life}-${operation.getStore()}`;
      await all.fork(thread, { to, ...(isOneOf(2) && count > 0 && { turn: 1 + roll(count) }) });
      return to;
    }
    case 5:
      return (await agent.fork({ threadId: thread })).threadId;
    case 6:
    case 7:
      return all.update(thread, { userId: pick(users) });
    case 8:
      return all.update(thread, { metadata: { title: `t${prompts}` } });
    case 9:
      return isOneOf(3) ? all.sweep({ doneMs: 50, ...(isOneOf(2) && { waitingMs: 50 }) }) : all.sweep({ doneMs: 400 });
    case 10:
      return all.delete(thread);
    default:
      return isOneOf(3) ? all.deleteUser(pick(users)) : all.delete(thread);
  }
}

type Operation = readonly [name: string, work: (thread: string, lane: number) => Promise<unknown>];
const times = (count: number, ...operation: Operation): Operation[] => Array.from({ length: count }, () => operation);

const operations: readonly Operation[] = [
  ...times(26, "ask", (thread) => ask(callOptions(thread))),
  ...times(18, "post", post),
  ...times(10, "replace", replace),
  ...times(12, "stop", (thread) => all.stop(thread)),
  ...times(14, "answer", answer),
  ...times(30, "push", push),
  ...times(8, "look", look),
  ...times(12, "change", change),
];

async function operate(lane: number): Promise<void> {
  const thread = pick(settings.threads);
  const [what, work] = pick(operations);
  note({ k: "call", what, thread });
  const start = performance.now();
  const ms = (): number => Math.round(performance.now() - start);
  try {
    note({ k: "end", what, said: await work(thread, lane), ms: ms() });
  } catch (error) {
    const { code, message, name, cause } = error as KumikoError;
    const told = KumikoError.is(error) ? code : `~${name}`;
    note({
      k: "end",
      what,
      code: told,
      message: `${message}${cause === undefined ? "" : ` <- ${String(cause)}`}`,
      ms: ms(),
    });
  }
}

let next = 0;
async function work(lane: number): Promise<void> {
  while (next < settings.operations) {
    const number = next++;
    await operation.run(number, () => operate(lane));
    if (isOneOf(4)) await new Promise((resolve) => setTimeout(resolve, roll(30)));
  }
}

await Promise.all(Array.from({ length: settings.lanes }, (_, lane) => work(lane)));
await opened.close();
note({ k: "over" });
