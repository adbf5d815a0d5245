import { setImmediate as turn } from "node:timers/promises";
import {
  type AgenticMessage,
  assistantMessage,
  type CheckpointStore,
  concatMessages,
  createTool,
  functionToolCall,
  textOf,
} from "kumiko";
import { type Agent, createAgent } from "kumiko/agents";
import { assistantGenText, reasoning } from "kumiko/schema";
import { z } from "zod";

/** Stands in all texts of errors: no client may ever get it. */
export const secret = "s3cr3t-of-the-server";

/** Gets a line for each thing that is paid for: calls of models and runs of tools. */
export type Note = (line: string) => void;

/** The prompts of a conversation, each with its id. Only the second one has calls. */
export const prompts = [
  { id: "p1", text: "Hi" },
  { id: "p2", text: "Plan my trip" },
  { id: "p3", text: "Thanks" },
] as const;

/** What the calls of the planned trip answer, in the order of their calls; those without text are asked about. */
const call = (callId: string, name: string, args: object = {}) =>
  functionToolCall({ callId, name, arguments: JSON.stringify(args) });

const planned = [
  call("c1", "add", { n: 1 }),
  call("c2", "report"),
  call("c3", "fail"),
  call("c4", "pay", { euros: 5 }),
  call("c5", "where"),
  call("c6", "clerk", { prompt: "Book it" }),
];

/** The chunks of each answer. A model remembers nothing, so that any process goes on: it looks at what it is shown. */
const answersOfBoss: Record<string, readonly (readonly AgenticMessage[])[]> = {
  Hi: [chunks(["Hel", "lo."])],
  "Plan my trip": [
    [...thought("Hm, ", "let me think."), ...chunks(["Let me ", "see."], 1), ...planned.flatMap(pieces)],
    [...chunks(["Now the ", "sum."]), ...pieces(call("c7", "add", { n: 2 }), 0)],
    chunks(["All is ", "done."]),
  ],
  Thanks: [chunks(["You are ", "welcome."])],
};

const answersOfClerk: Record<string, readonly (readonly AgenticMessage[])[]> = {
  "Book it": [
    [...chunks(["I look."]), ...pieces(call("i1", "look"), 0)],
    pieces(call("inner-2", "book"), 0),
    chunks(["Boo", "ked."]),
  ],
};

function thought(...texts: string[]): AgenticMessage[] {
  return texts.map((text) => assistantMessage([reasoning({ text, streamingMeta: { index: 0 } })]));
}

function chunks(texts: readonly string[], index = 0): AgenticMessage[] {
  return texts.map((text) => assistantMessage([assistantGenText({ text, streamingMeta: { index } })]));
}

/** The arguments of a call come in two pieces. */
function pieces(given: ReturnType<typeof call>, position: number): AgenticMessage[] {
  const half = Math.ceil(given.arguments.length / 2);
  const streamingMeta = { index: position + 2 };
  const { callId, name } = given;
  return [given.arguments.slice(0, half), given.arguments.slice(half)].map((part) =>
    assistantMessage([functionToolCall({ callId, name, arguments: part, streamingMeta })]),
  );
}

/** A model that plays an agent. Each of its answers is noted as it begins. */
function modelOf(name: string, script: typeof answersOfBoss, note: Note) {
  const answer = (messages: readonly AgenticMessage[]): readonly AgenticMessage[] => {
    const at = messages.findLastIndex(({ contentBlocks }) => contentBlocks[0]?.type === "user_input_text");
    const prompt = messages[at];
    const step = messages.slice(at).filter(({ role }) => role === "assistant").length;
    const text = prompt === undefined ? "" : textOf(prompt);
    note(`model ${name} ${text} ${step}`);
    return script[text]?.[step] ?? chunks([`Nothing to say to ${text}.`]);
  };
  return {
    component: "model" as const,
    async generate(messages: readonly AgenticMessage[]): Promise<AgenticMessage> {
      return concatMessages([...answer(messages)]);
    },
    async *stream(messages: readonly AgenticMessage[]) {
      for (const chunk of answer(messages)) {
        await turn();
        yield chunk;
      }
    },
  };
}

/** An agent whose turns have parallel tools, one that fails, an approval, a tool of the client and an agent that asks, too. */
export function tripAgent({ store, note }: { readonly store: CheckpointStore; readonly note: Note }): Agent {
  const tool = (id: string, options: { readonly requireApproval?: boolean } = {}) =>
    createTool({
      ...{ id, description: `Does ${id}.`, inputSchema: z.record(z.string(), z.unknown()), ...options },
      execute: async (input) => {
        note(`tool ${id} ${JSON.stringify(input)}`);
        await turn();
        return { did: ["did", id, ...Object.values(input)].join("-"), with: input };
      },
    });
  const report = createTool({
    ...{ id: "report", description: "Streams.", inputSchema: z.record(z.string(), z.unknown()) },
    async *execute() {
      note("tool report {}");
      for (const part of ["one, ", "two, ", "three"]) {
        await turn();
        yield part;
      }
    },
  });
  const fail = createTool({
    ...{ id: "fail", description: "Fails.", inputSchema: z.record(z.string(), z.unknown()) },
    execute: async () => {
      note("tool fail {}");
      throw new Error(secret);
    },
  });
  const where = createTool({
    ...{ id: "where", description: "Asks the browser.", inputSchema: z.record(z.string(), z.unknown()) },
  });
  const clerk = createAgent({
    ...{ name: "clerk", description: "Books.", retry: false as const },
    model: modelOf("clerk", answersOfClerk, note),
    tools: [tool("look"), tool("book", { requireApproval: true })],
  });
  return createAgent({
    ...{ name: "boss", store, retry: false as const },
    model: modelOf("boss", answersOfBoss, note),
    tools: [tool("add"), report, fail, tool("pay", { requireApproval: true }), where, clerk.asTool()],
  });
}

/** What a saved state has in it once something that was paid for is saved; as `costs` has it. */
export const marks: Readonly<Record<string, string>> = {
  "model boss Hi 0": "Hello.",
  "model boss Plan my trip 0": "let me think.",
  'tool add {"n":1}': "did-add-1",
  "tool report {}": "one, two, three",
  "tool fail {}": secret,
  "model clerk Book it 0": "I look.",
  "tool look {}": "did-look",
  "model clerk Book it 1": "inner-2",
  'tool pay {"euros":5}': "did-pay-5",
  "tool book {}": "did-book",
  "model clerk Book it 2": "Booked.",
  "model boss Plan my trip 1": "Now the sum.",
  'tool add {"n":2}': "did-add-2",
  "model boss Plan my trip 2": "All is done.",
  "model boss Thanks 0": "You are welcome.",
};

/** All that a conversation costs, if nothing is paid for twice. */
export const costs: readonly string[] = Object.keys(marks).toSorted();
