import { checkOptions } from "../check-options.js";
import type { Interrupt, InterruptError } from "../checkpoint/pause/interrupt.js";
import { type ErrorCode, KumikoError, messageOf } from "../errors.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { shorten } from "../schema/shorten.js";
import { list } from "../wording.js";

// bad input

/** The names in other packages of the options of an agent, and of its calls. */
const otherNames: Readonly<Record<string, string>> = {
  abortSignal: "signal",
  runtimeContext: "requestContext",
  system: "instructions",
  stopConditions: "stopWhen",
  maxTokens: "modelOptions: { maxOutputTokens }",
  maxOutputTokens: "modelOptions: { maxOutputTokens }",
  temperature: "modelOptions: { temperature }",
  requireApproval: 'middleware: [approvals({ rules: [{ tool: "*", action: "ask" }] })]',
  providerOptions: "modelOptions: { providerOptions }",
};

/** Options that are accepted in another place than the one where they were given. */
export interface Elsewhere {
  readonly names: readonly string[];
  /** Where that is, and how they are given there: `an agent: createAgent({ … })`. */
  readonly use: (name: string) => string;
}

/** The option to write in place of an unknown one; empty if it is not known elsewhere. */
function optionHint(name: string, known: readonly string[], elsewhere: Elsewhere | undefined): string {
  if (name === "prompt") return "The prompt is the first argument of generate and stream.";
  const meant = Object.hasOwn(otherNames, name) ? (otherNames[name] ?? name) : name;
  const [option = meant] = meant.split(":");
  if (known.includes(option)) return `It is called ${meant} here.`;
  return elsewhere?.names.includes(option) === true ? `It is an option of ${elsewhere.use(meant)}.` : "";
}

/** Checks the options of an agent or of a call: an unknown one may be known in another place, or by another name. */
export function checkAgentOptionNames(
  where: string,
  options: unknown,
  known: readonly string[],
  elsewhere?: Elsewhere,
): void {
  checkOptions(where, options, known, { hint: (name) => optionHint(name, known, elsewhere) });
}

export const invalidAgentOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

export const invalidMiddleware = (what: string): KumikoError =>
  invalidAgentOption(`A middleware is not valid: ${what}.`);

export const duplicateMiddleware = (name: string): KumikoError =>
  invalidAgentOption(
    `Two middlewares are named "${name}", and each keeps its state under its name. Rename one of them.`,
  );

export const invalidAgentName = (name: unknown): KumikoError =>
  invalidAgentOption(
    `The name of an agent is made of letters, digits, "_" and "-", at most 64 (got ${shorten(name)}).`,
  );

export const sameAgentName = (name: string): KumikoError =>
  invalidAgentOption(
    `Two agents are named "${name}", and one can hand over to the other. Give createAgent({ name }) different names.`,
  );

export const agentWithoutDescription = (name: string): KumikoError =>
  invalidAgentOption(
    `Agent "${name}" has no description, but models that may call it need one. Give createAgent({ description }) or asTool({ description }).`,
  );

export const bareAgent = (where: string, name: string): KumikoError =>
  invalidAgentOption(`${where} is an agent. Give the agent "${name}" as a tool: ${name}.asTool().`);

export const noSuchTool = (option: string, name: string, known: readonly string[]): KumikoError =>
  invalidAgentOption(`${option} names "${name}", which is not a tool of the agent. Tools: ${list(known)}.`);

export const unknownStepTool = (middleware: string, name: string, known: readonly string[]): KumikoError =>
  invalidAgentOption(`Middleware "${middleware}" chose the tool "${name}" in beforeStep. Tools: ${list(known)}.`);

/** Code of the user has thrown in `what`. An error of the package keeps its code. */
const failedIn = (what: string, cause: unknown, code: ErrorCode = "NODE_FAILED"): KumikoError =>
  new KumikoError(KumikoError.is(cause) ? cause.code : code, `${what}: ${messageOf(cause)}`, { cause });

/** A function of an option has thrown: it is not the node that failed. */
export const optionFailed = (agent: string, option: string, cause: unknown): KumikoError =>
  failedIn(`The function ${option} of agent "${agent}" failed`, cause);

export const wrongFunctionResult = (option: string, cause: unknown): KumikoError =>
  failedIn(`The function ${option} of the agent returned something wrong`, cause, "INVALID_OPTION");

const invalidPrompt = (what: string): KumikoError => new KumikoError("INVALID_MESSAGE", what);

export const notAPrompt = (given: unknown, place: string): KumikoError =>
  invalidPrompt(
    `An agent takes a string, a message or a list of messages, such as { role: "user", content: "Hi" } (got ${shorten(given)} as ${place}).`,
  );

export const saysNothing = (place: string): KumikoError =>
  invalidPrompt(`${place} has no content, so there is nothing to send. Ask something, or leave the message out.`);

export const notMessages = (given: unknown): KumikoError => {
  const index = Array.isArray(given) ? given.findIndex((one) => !isAgenticMessage(one)) : -1;
  const got = index === -1 ? shorten(given) : `${shorten((given as unknown[])[index])} at position ${index}`;
  return invalidPrompt(`The graph of an agent takes a list of messages, such as [userMessage("Hi")] (got ${got}).`);
};

export const noMessages = (where: string): KumikoError =>
  invalidPrompt(`${where} was given no message. Give it at least one, such as [userMessage("Hi")].`);

export const emptyPrompt = (): KumikoError =>
  invalidPrompt("An empty prompt goes on with a thread: give a threadId with it, or ask something.");

/** Only users are heard while a turn runs. */
export const notAPush = (messages: readonly AgenticMessage[]): KumikoError =>
  invalidPrompt(
    `push takes what a user says, a string or messages with role "user" (got ${messages.length === 0 ? "none" : shorten(messages.map(({ role }) => role))}).`,
  );

export const emptyThread = (threadId: string): KumikoError =>
  invalidPrompt(`An empty prompt goes on with a thread, and "${threadId}" has no turn yet. Ask something.`);

export const twoSystems = (agent: string): KumikoError =>
  invalidPrompt(
    `The prompt has a system message, and agent "${agent}" has instructions. Leave one of them out: a model has one.`,
  );

export const childOfTwo = (option: string): KumikoError =>
  invalidAgentOption(`${option} and parent exclude each other: a child belongs to the checkpoint of its parent.`);

export const nothingToResume = (): KumikoError =>
  invalidAgentOption(
    "resume takes a checkpoint id, a result that waits, or { threadId }: this has neither checkpointId nor threadId.",
  );

// running

export const needsStore = (what: string, cause?: InterruptError): KumikoError =>
  new KumikoError(
    "NO_STORE",
    `${what}, and nothing keeps the run meanwhile. Give createAgent({ store }), memoryStore() for instance.`,
    cause && { cause },
  );

export const askedWithoutStore = (asked: InterruptError): KumikoError =>
  needsStore(
    `The agent was asked to wait for an answer at ${asked.interrupts.map(({ address }) => `"${address}"`).join(", ")}`,
    asked,
  );

export const tooManySteps = (agent: string, limit: number): KumikoError =>
  new KumikoError(
    "MAX_STEPS_EXCEEDED",
    `Agent "${agent}" called tools in its last step, step ${limit}. Raise maxSteps, or let onMaxSteps be "answer" or "stop".`,
  );

export const noOutput = (why: string): KumikoError =>
  new KumikoError("NO_OUTPUT", `The agent has no output, because ${why}. Look at finishReason before you read output.`);

export const toolGone = (name: string, known: readonly string[]): KumikoError =>
  new KumikoError(
    "UNKNOWN_TOOL",
    `Tool "${name}" waits for an answer, and the agent does not have it any more. Tools: ${list(known)}. The question stays open.`,
  );

export const streamRestarted = (): KumikoError =>
  new KumikoError(
    "STREAM_RESTARTED",
    "The answer began again after a part of it was read as text. Read events, which say so, or the result.",
  );

export const hookFailed = (middleware: string, hook: string, cause: unknown): KumikoError =>
  failedIn(`Middleware "${middleware}" failed in ${hook}`, cause);

/** `path` leads to the value in the state that cannot be saved; it is empty for the state itself. */
export const stateNotJson = (
  { middleware, hook, path }: { readonly middleware: string; readonly hook: string; readonly path: string },
  cause: unknown,
): KumikoError =>
  new KumikoError(
    "NOT_SERIALIZABLE",
    `The state of middleware "${middleware}" cannot be kept after ${hook}: ${path === "" ? "" : `${path} in it: `}${messageOf(cause)} ` +
      "Keep only data in the state: no functions, promises or streams.",
    { cause },
  );

export const noSuchRun = (id: string, cause: unknown): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `There is no run "${id}" to continue: it was never saved, or it has ended. createAgent({ history: true }) keeps runs that have ended.`,
    { cause },
  );

// threads

export const threadBusy = (id: string): KumikoError =>
  new KumikoError(
    "THREAD_BUSY",
    `A turn of thread "${id}" is under way. Wait for it with generate(prompt, { threadId, onBusy: "wait" }); after a crash, takeover: true closes it.`,
  );

/** Of what cannot wait itself: a resume, or a change of the thread. */
export const turnUnderWay = (id: string): KumikoError =>
  new KumikoError(
    "THREAD_BUSY",
    `A turn of thread "${id}" is under way. Wait until it has ended; after a crash, resume({ threadId }, answers, { takeover: true }) continues it.`,
  );

/** To this user, the thread is not there. */
export const threadOfOtherUser = (id: string): KumikoError =>
  new KumikoError(
    "THREAD_OF_OTHER_USER",
    `Thread ${shorten(id, { length: 80 })} belongs to another user, or to none: threads(store).update(id, { userId }) gives it one.`,
  );

/** The run was begun for another user, or for none. */
export const runOfOtherUser = (id: string): KumikoError =>
  new KumikoError(
    "THREAD_OF_OTHER_USER",
    `Run ${shorten(id, { length: 80 })} was begun for another user, or for none. Resume it with the userId that it was begun with, or without one.`,
  );

/** A user id that is there, and is none. */
export const invalidUser = (where: string, userId: unknown): KumikoError =>
  invalidAgentOption(
    `userId of ${where} must be a string of 1 to 256 characters, percent-encoded (got ${shorten(userId)}).${userId === undefined ? " A login that failed must open nothing: leave the option out to see the threads of all users." : ""}`,
  );

/** Middleware that keeps its state for the user was run without one. */
export const noUser = (middleware: string): KumikoError =>
  new KumikoError(
    "NO_USER",
    `Middleware "${middleware}" keeps its state for the user, and the call names none. Give generate(prompt, { userId }).`,
  );

export const noSuchThread = (id: string): KumikoError =>
  new KumikoError("UNKNOWN_CHECKPOINT", `There is no thread ${shorten(id, { length: 80 })}.`);

/** Somebody else has continued, replaced or removed a turn while it ran here. */
export const turnTaken = (id: string, turn: number): KumikoError =>
  new KumikoError(
    "CHECKPOINT_CONFLICT",
    `Turn ${turn} of thread "${id}" was continued, replaced or deleted elsewhere while it ran here, so its answer is not in the thread. Read the thread again.`,
  );

export const threadIdTooLong = (id: string): KumikoError =>
  new KumikoError(
    "INVALID_KEY",
    `The thread id ${shorten(id, { length: 80 })} cannot be used: a string of 1 to 256 characters is needed, percent-encoded.`,
  );

export const nothingOpen = (id: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `Thread "${id}" has no turn to resume: its newest one ended well, or there is none. Ask something new with generate.`,
  );

/** `replaces` names no message of the thread. */
export const unknownMessage = (id: string, message: string): KumikoError =>
  new KumikoError(
    "UNKNOWN_MESSAGE",
    `Thread "${id}" has no message ${shorten(message, { length: 80 })} to replace. Use an id that uiMessages returns: that of a prompt, or turn-<number> for an answer.`,
  );

export const requestOfOldTurn = (id: string, turn: number): KumikoError =>
  new KumikoError(
    "UNKNOWN_CHECKPOINT",
    `The request is turn ${turn} of thread "${id}", which has not ended well, and the conversation has gone on since. Ask again with another requestId.`,
  );

export const otherPrompt = (requestId: string): KumikoError =>
  invalidAgentOption(
    `requestId ${shorten(requestId, { length: 80 })} names a turn with another prompt: each request needs an id of its own.`,
  );

export const otherAnswer = (interrupt: string): KumikoError =>
  new KumikoError(
    "ALREADY_ANSWERED",
    `Interrupt ${shorten(interrupt, { length: 80 })} has been answered already, with another answer. Answer the ones that the thread waits for.`,
  );

export const noSuchTurn = (id: string, turn: number): KumikoError =>
  new KumikoError("UNKNOWN_CHECKPOINT", `Thread "${id}" has no turn ${turn}.`);

export const threadExists = (id: string): KumikoError =>
  new KumikoError("CHECKPOINT_CONFLICT", `Thread "${id}" exists. Fork to an id that no thread has, or leave out "to".`);

export const turnNotOver = (id: string, turn: number): KumikoError =>
  new KumikoError(
    "THREAD_BUSY",
    `Turn ${turn} of thread "${id}" is not over, so it cannot be copied as a whole. Copy an earlier turn, or its run: agent.fork({ threadId }).`,
  );

const waitingBrand = Symbol.for("kumiko/ThreadWaitingError");

/**
 * A thread waits for answers, and something new was asked in it.
 *
 * @example
 * try {
 *   await agent.generate("And now?", { threadId: "u-1" });
 * } catch (error) {
 *   if (!ThreadWaitingError.is(error)) throw error;
 *   console.log(error.interrupts.map(({ info }) => info));
 * }
 */
export class ThreadWaitingError extends KumikoError {
  override readonly name: string = "ThreadWaitingError";
  readonly [waitingBrand] = true;
  /** The questions that it waits for. */
  readonly interrupts: readonly [Interrupt, ...Interrupt[]];

  constructor(id: string, interrupts: readonly [Interrupt, ...Interrupt[]]) {
    super(
      "THREAD_WAITING",
      `Thread "${id}" waits for ${interrupts.length === 1 ? "an answer" : `${interrupts.length} answers`}. ` +
        'Answer with resume({ threadId }, …), or close the questions with generate(prompt, { threadId, onWaiting: "close" }).',
    );
    this.interrupts = interrupts;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is ThreadWaitingError {
    return typeof value === "object" && value !== null && waitingBrand in value;
  }
}

/** A turn that waits has what it waits for in its record. */
export const threadWaiting = (id: string, interrupts: readonly Interrupt[] = []): ThreadWaitingError =>
  new ThreadWaitingError(id, interrupts as readonly [Interrupt, ...Interrupt[]]);
