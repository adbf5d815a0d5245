import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  type CheckpointStore,
  createTool,
  type Tool,
  textOf,
  toolCallsOf,
  toolResultsOf,
} from "kumiko";
import type { Agent, AgentResult, RecallOptions } from "kumiko/agents";
import type { Embedder } from "kumiko/components";
import { memoryVectors, type VectorStore } from "kumiko/rag";

/** Tells what has happened, in whatever process. */
export type Note = (line: string) => void;

/** What the agents of a feature are made of. */
export interface Kit {
  readonly store: CheckpointStore;
  readonly note: Note;
  /** A model that follows a script: its answers by the last prompt. */
  model(name: string, script: Script): AgenticModel;
  /** A tool that notes what it is called with. */
  tool(id: string, options?: ToolSettings): Tool;
  /** What turns are recalled by. */
  readonly memory: Pick<RecallOptions, "vectors" | "embedder">;
}

export type Script = Readonly<Record<string, readonly Answer[]>>;
type Answer = Parameters<typeof assistantMessage>[0];
export interface ToolSettings {
  readonly requireApproval?: boolean;
  readonly says?: string;
}

/** A feature among others: agents with it, what they are asked, and what becomes of that however their turns go on. */
export interface Feature {
  /** What is there before the first turn. */
  prepare?(store: CheckpointStore): Promise<unknown>;
  make(kit: Kit): Agent;
  /** The answer to what a tool asks. */
  answer(toolName: string, input: unknown): unknown;
  readonly turns: readonly ExpectedTurn[];
  /** All that is noted, sorted. */
  readonly notes: readonly string[];
  /** What no row of the store has once all turns are over. */
  readonly neverStored?: string;
}

export interface ExpectedTurn {
  readonly prompt: string;
  /** @default "t" */
  readonly thread?: string;
  /** Who asks, in each of its pauses. */
  readonly pauses: readonly (readonly string[])[];
  readonly end: Ended;
}

/** How a turn has ended. */
export interface Ended extends Pick<AgentResult<unknown>, "finishReason" | "text" | "blocked"> {
  readonly tokens: number;
  /** The beginnings of its results, or how they have failed. */
  readonly results: readonly string[];
}

export function endedOf(result: AgentResult<unknown>): Ended {
  const { finishReason, text, blocked, usage, messages } = result;
  const results = messages.flatMap((message) => [
    ...toolResultsOf(message).map(({ errorKind, result: said }) => errorKind ?? said.slice(0, 40)),
    ...message.contentBlocks.flatMap((block) =>
      block.type === "mcp_tool_approval_response" ? [`${block.approvalRequestId}: ${block.approve}`] : [],
    ),
  ]);
  return { finishReason, text, tokens: usage.totalTokens, results, ...(blocked !== undefined && { blocked }) };
}

const used = { responseMeta: { tokenUsage: { promptTokens: 20, completionTokens: 10, totalTokens: 30 } } };

/**
 * A model that goes by the last prompt, and by how often that was answered: it is the same one in each process. It notes what it is
 * asked, and the last line of its instructions.
 */
function modelOf(name: string, note: Note, script: Script): AgenticModel {
  const next = (messages: readonly AgenticMessage[]): AgenticMessage => {
    const at = messages.findLastIndex(isPrompt);
    const prompt = textOf(messages[at] ?? assistantMessage(""));
    const count = messages.slice(at + 1).filter(({ role }) => role === "assistant").length;
    const told = messages
      .filter(({ role }) => role === "system")
      .map(textOf)
      .join()
      .split("\n")
      .at(-1);
    note(`${name}: ${prompt} ${count + 1}${told ? ` (${told})` : ""}`);
    return assistantMessage(script[prompt]?.[count] ?? "Nothing more.", used);
  };
  return {
    component: "model" as const,
    generate: async (messages: readonly AgenticMessage[]) => next(messages),
    async *stream(messages: readonly AgenticMessage[]) {
      const message = next(messages);
      const words = toolCallsOf(message).length > 0 ? [] : textOf(message).split(/(?<= )/);
      for (const word of words.slice(0, -1)) yield assistantMessage(word);
      yield words.length > 1 ? assistantMessage(words.at(-1) ?? "", used) : message;
    },
  };
}

const isPrompt = ({ role, contentBlocks }: AgenticMessage): boolean =>
  role === "user" && contentBlocks.some(({ type }) => type === "user_input_text");

/** An option of a tool, and the answer to it. */
export const ask = { requireApproval: true };
export const yes = () => ({ approved: true });

const words = ["lisbon", "soup"];
/** Counts a few words. */
export const embedder: Embedder = {
  component: "embedder",
  embed: async (texts) => texts.map((text) => [0.1, ...words.map((word) => text.toLowerCase().split(word).length - 1)]),
};

/** The kit of features that are not on a tape. */
export const kitOf = (store: CheckpointStore, note: Note, vectors: VectorStore = memoryVectors()): Kit => ({
  store,
  note,
  memory: { vectors, embedder },
  model: (name, script) => modelOf(name, note, script),
  tool: (id, options) => toolOf(id, note, options),
});

function toolOf(id: string, note: Note, { requireApproval = false, says = "done" }: ToolSettings = {}) {
  return createTool({
    id,
    description: `Is named ${id}.`,
    inputSchema: { type: "object" },
    requireApproval,
    execute: (input) => {
      note(`${id} ${JSON.stringify(input)}`);
      return says;
    },
  });
}
