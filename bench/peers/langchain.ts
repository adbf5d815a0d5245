import type { ToolMessage } from "@langchain/core/messages";
import { Runnable, RunnableBranch, RunnableLambda, RunnableMap, RunnableSequence } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import {
  CharacterTextSplitter,
  LatexTextSplitter,
  MarkdownTextSplitter,
  RecursiveCharacterTextSplitter,
  type TextSplitter,
  TokenTextSplitter,
} from "@langchain/textsplitters";
import { type Call, type Contender, numberSchema, type Pipe, type Run, type Step, weather } from "../contender.js";

const noOperation = { handleChainStart() {}, handleChainEnd() {} };

export const langchain: Contender = {
  name: "LangChain",
  chain: (steps) => runOf(sequenceOf(steps)),
  watchedChain: (steps) => runOf(sequenceOf(steps), { callbacks: [noOperation] }),
  checkedChain: (steps) => runOf(sequenceOf(steps.map((step) => (value) => step(numberSchema.parse(value))))),
  guardedChain: (steps) => runOf(inSequence(steps.map((step) => nodeOf(step).withRetry({ stopAfterAttempt: 3 })))),
  items: (step, list) => {
    const node = nodeOf(step);
    return () => node.batch([...list]);
  },
  fanOut: (parts) => {
    const named = Object.fromEntries(parts.map((part, n) => [`part${n}`, nodeOf(part)]));
    const join = RunnableLambda.from((results: Record<string, number>) => sum(Object.values(results)));
    return runOf(RunnableMap.from<number, Record<string, number>>(named).pipe(join));
  },
  each: (step, count, limit) => {
    const node = nodeOf(step);
    const inputs = Array.from({ length: count }, (_, n) => n);
    return async () => sum(await node.batch(inputs, { maxConcurrency: limit }));
  },
  branches: (odd, even, count) => {
    const stages = Array.from({ length: count }, () =>
      RunnableBranch.from<number, number>([[(value: number) => value % 2 === 1, nodeOf(odd)], nodeOf(even)]),
    );
    return runOf(inSequence(stages));
  },
  tools,
  generators,
  splitters: {
    recursive: (text, size) => splitterOf(new RecursiveCharacterTextSplitter(limits(size)), text),
    character: (text, size) => splitterOf(new CharacterTextSplitter({ ...limits(size), separator: "\n\n" }), text),
    token: (text, size) =>
      splitterOf(new TokenTextSplitter({ ...limits(size), encodingName: "o200k_base" as never }), text),
    markdown: (text, size) => splitterOf(new MarkdownTextSplitter(limits(size)), text),
    latex: (text, size) => splitterOf(new LatexTextSplitter(limits(size)), text),
  },
  build: (step, count) => runOf(sequenceOf(Array.from({ length: count }, () => step))),
};

const limits = (chunkSize: number) => ({ chunkSize, chunkOverlap: 0 });
const splitterOf = (splitter: TextSplitter, text: string) => () => splitter.splitText(text);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const nodeOf = (step: Step) => RunnableLambda.from<number, number>((value) => step(value));
const sequenceOf = (steps: readonly Step[]) => inSequence(steps.map(nodeOf));

function inSequence([first, ...others]: Runnable<number, number>[]): Runnable<number, number> {
  const last = others.pop();
  if (first === undefined || last === undefined) throw new Error("A sequence has two members at least.");
  return RunnableSequence.from<number, number>([first, ...others, last]);
}

function runOf(runnable: Runnable<number, number>, options?: object): Run {
  return (input) => runnable.invoke(input, options);
}

/** Models give the arguments of a call as text; the model classes of LangChain parse it. */
function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const { name, description, schema, execute } = weather;
  const node = tool(execute, { name, description, schema });
  return () =>
    Promise.all(
      calls.map(async ({ id, arguments: text }) => {
        const message: ToolMessage = await node.invoke({ id, name, args: JSON.parse(text), type: "tool_call" });
        return message.content;
      }),
    );
}

/** What streams through: a Runnable with a transform of its own. */
class AddOne extends Runnable<number, number> {
  lc_namespace = ["kumiko", "bench"];

  override async invoke(value: number): Promise<number> {
    return value + 1;
  }

  override async *transform(chunks: AsyncGenerator<number>): AsyncGenerator<number> {
    for await (const chunk of chunks) yield chunk + 1;
  }
}

function generators(count: number): Pipe {
  return async (source) => {
    const first = RunnableLambda.from<number, number>(() => source as never);
    const nodes = Array.from({ length: count }, () => new AddOne());
    let total = 0;
    for await (const chunk of await inSequence([first, ...nodes]).stream(0)) total += chunk;
    return total;
  };
}
