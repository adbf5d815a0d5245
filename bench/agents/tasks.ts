import type { Work } from "../contender.js";

/** What only agents and their models do. */
export type AgentTask =
  | "generate"
  | "generate-package"
  | "events"
  | "chunks"
  | "guard"
  | "adapter"
  | "tracer"
  | "hooks"
  | "thread"
  | "ui";

/** Makes what is measured of each; what is left out, a contender cannot do. */
export type AgentWorks = Partial<Readonly<Record<AgentTask, () => Work>>>;

/** Rounds of tools with one call each, before the answer of a turn. */
export const ROUNDS = 10;
/** Accepted answers of a turn. */
export const STEPS = ROUNDS + 1;
/** Pieces of text in an answer that streams. */
export const PIECES = 1_000;
/** Turns of a thread that is read. */
export const TURNS = 200;

export const instructions = "Answer in one sentence.";
export const question = "How many letters do these cities have?";
export const answer = "They have eight letters each.";
/** The arguments of every call. */
export const callText = '{"city":"Shenzhen","days":3}';
export const piece = "piece ";
