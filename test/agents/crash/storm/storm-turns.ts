import { createHash } from "node:crypto";
import { type AgenticMessage, textOf, toolCallsOf, toolResultsOf } from "kumiko";
import type { Dice } from "../../../crash/dice.js";

/** What a prompt of a storm asks for: rounds of tools, and how the turn ends. */
export interface Plan {
  /** The name of the prompt. */
  readonly n: string;
  readonly rounds: readonly (readonly ("fast" | "slow" | "ask" | "broken")[])[];
  readonly end: "text" | "slow" | "fail";
}

const plans: readonly (readonly [number, Omit<Plan, "n">])[] = [
  [30, { rounds: [], end: "text" }],
  [16, { rounds: [], end: "slow" }],
  [12, { rounds: [["fast"]], end: "text" }],
  [8, { rounds: [["fast", "slow"]], end: "slow" }],
  [12, { rounds: [["ask"]], end: "text" }],
  [10, { rounds: [["fast", "ask"]], end: "text" }],
  [4, { rounds: [["fast"], ["ask", "ask"], ["slow"]], end: "text" }],
  [4, { rounds: [["broken", "fast"]], end: "text" }],
  [4, { rounds: [["fast"]], end: "fail" }],
];

export function makePlan(n: string, roll: Dice): Plan {
  let left = roll(100);
  for (const [weight, plan] of plans) {
    left -= weight;
    if (left < 0) return { n, ...plan };
  }
  return { n, rounds: [], end: "text" };
}

/** The plan in a prompt of a storm. */
export function planIn(message: AgenticMessage): Plan | undefined {
  if (message.role !== "user" || message.contentBlocks[0]?.type !== "user_input_text") return undefined;
  const text = textOf(message);
  return text.startsWith("{") ? JSON.parse(text) : undefined;
}

/** Names what is said to a turn that runs: by whom, and as which of what is said to the thread. */
export const saidId = (sender: string, number: number): string => `said-${sender}-${number}`;
const saidPattern = /^said-(.+)-(\d+)$/;

/** What of it is in messages, in order. */
export function saidIn(messages: readonly AgenticMessage[]): string[] {
  return messages.flatMap(({ id }) => (id !== undefined && saidPattern.test(id) ? [id] : []));
}

/** What is wrong with the order in which it stands: something twice, or before what the same sender has said earlier. */
export function wrongOrderIn(said: readonly string[]): string | undefined {
  const last = new Map<string, number>();
  for (const id of said) {
    const [, sender = "", number] = saidPattern.exec(id) ?? [];
    if (Number(number) <= (last.get(sender) ?? -1)) return `${id} comes after number ${last.get(sender)}`;
    last.set(sender, Number(number));
  }
  return undefined;
}

/** Stands for a conversation: the same one for the same texts, calls and results. */
export function hashOf(messages: readonly AgenticMessage[]): string {
  const said = messages.map((message) => [
    message.role,
    textOf(message),
    toolCallsOf(message).map(({ callId }) => callId),
    toolResultsOf(message).map(({ callId, result }) => [callId, result]),
  ]);
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 12);
}

/** How an answer names what it follows. */
export const answerTo = (n: string, hash: string): string => `to ${n} after ${hash} and that is all there is to say`;
export const followedBy = (text: string): string | undefined => /^to \S+ after ([0-9a-f]{12}) /.exec(text)?.[1];
