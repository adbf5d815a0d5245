import fc from "fast-check";
import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  type CompiledGraph,
  type CompileOptions,
  createTool,
  END,
  functionToolCall,
  Graph,
  type NodeContext,
  START,
  toolResultsOf,
} from "kumiko";
import { plain } from "../compose/thrown-by.js";
import { digest } from "../run/graph-spec.js";
import type { Process } from "./stoppable.js";
import type { WorkLog } from "./work-log.js";

/** What a run does, as a tree. Every part takes a text and gives one of six letters or digits. */
export type Program =
  | { readonly kind: LeafKind }
  | {
      readonly kind: "steps" | "side by side" | "depending" | "runs inside" | "tools" | "tools in turn";
      readonly parts: readonly Program[];
    }
  | {
      readonly kind: "loop" | "graph" | "graph with a state" | "graph that stops" | "run inside";
      readonly parts: readonly [Program];
    };

/** One piece of work: at once, after a question, in pieces that `once` remembers, in a stream, or in a stream that asks. */
type LeafKind = "work" | "asks" | "asks twice" | "once" | "streams" | "streams and asks";

const leaves: readonly LeafKind[] = ["work", "work", "asks", "asks twice", "once", "streams", "streams and asks"];

export const programs: fc.Arbitrary<Program> = fc.letrec<{ program: Program }>((tie) => ({
  program: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom(...leaves).map((kind) => ({ kind })),
    fc.record({
      kind: fc.constantFrom("steps", "steps", "side by side", "depending", "runs inside", "tools", "tools in turn"),
      parts: fc.array(tie("program"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constantFrom("loop", "graph", "graph with a state", "graph that stops", "run inside"),
      parts: fc.tuple(tie("program")),
    }),
  ) as fc.Arbitrary<Program>,
})).program;

const hash = (path: string, text: string): string => digest(path.length, { [path]: text });
const joined = (path: string, texts: readonly string[]): string => hash(path, texts.join("|"));
/** Whether a loop goes round once more. */
const again = (text: string): boolean => Number.parseInt(text.slice(0, 1), 36) % 3 === 0;
const pathOf = (path: string, part: number): string => `${path}.${part}`;
const nameOf = (path: string, text: string): string => `${path}(${text})`;

interface Expected {
  readonly result: string;
  readonly works: readonly string[];
  /** What handlers before nodes are called with. */
  readonly befores: readonly string[];
}

/** What a program gives, and the work that it does. */
export function expectedOf(program: Program, input: string): Expected {
  const works: string[] = [];
  const befores: string[] = [];
  const evaluate = (part: Program, path: string, text: string): string => {
    const each = (): string[] => partsOf(part).map((inner, n) => evaluate(inner, pathOf(path, n), text));
    switch (part.kind) {
      case "once":
        works.push(nameOf(`${path}a`, text), nameOf(`${path}b`, text));
        return hash(path, text);
      case "work":
      case "asks":
      case "asks twice":
      case "streams":
      case "streams and asks":
        works.push(nameOf(path, text));
        return hash(path, text);
      case "steps":
        return part.parts.reduce((flows, inner, n) => evaluate(inner, pathOf(path, n), flows), text);
      case "side by side":
      case "depending":
      case "runs inside":
      case "tools":
      case "tools in turn":
        return joined(path, each());
      case "graph with a state":
        befores.push(nameOf(path, text));
        return each()[0] ?? "";
      case "graph":
      case "graph that stops":
      case "run inside":
        return each()[0] ?? "";
      case "loop": {
        const seen = new Set<string>();
        let flows = text;
        do {
          if (seen.has(flows)) throw new Error("A loop without an end.");
          seen.add(flows);
          flows = evaluate(part.parts[0], pathOf(path, 0), flows);
        } while (again(flows));
        return flows;
      }
      default:
        return part satisfies never;
    }
  };
  const result = evaluate(program, "p", input);
  return { result, works: works.sort(), befores: befores.sort() };
}

const partsOf = (program: Program): readonly Program[] => ("parts" in program ? program.parts : []);

type Node = (text: string, ctx: NodeContext) => unknown;

/** Makes a graph of a program, for one process. */
export class ProgramGraph {
  readonly #log: WorkLog;
  readonly #process: Process;
  /** What was answered with something else than its question. */
  readonly wrongAnswers: string[] = [];
  /** What handlers before nodes were called with. */
  readonly befores: string[] = [];

  constructor(log: WorkLog, process: Process) {
    this.#log = log;
    this.#process = process;
  }

  compile(program: Program, options: CompileOptions<never>): CompiledGraph<string, string> {
    return this.#chain(program, "p").compile(options);
  }

  #chain(program: Program, path: string): Chain<string, string> {
    return new Chain<string>().append(this.#node(program, path), { key: "all" }) as never;
  }

  #node(program: Program, path: string): never {
    return plain(this.#nodeOf(program, path));
  }

  #nodeOf(program: Program, path: string): unknown {
    switch (program.kind) {
      case "work":
      case "asks":
      case "asks twice":
      case "once":
        return this.#leaf(program.kind, path);
      case "streams":
      case "streams and asks":
        return this.#stream(program.kind, path);
      case "steps": {
        let chain = new Chain<string>();
        for (const [n, part] of program.parts.entries()) chain = chain.append(this.#node(part, pathOf(path, n)));
        return chain;
      }
      case "side by side":
        return this.#parallel(program.parts, path);
      case "depending":
        return this.#parallel(program.parts, path).compile(plain({ triggerMode: "allPredecessor" }));
      case "graph":
        return this.#chain(program.parts[0], pathOf(path, 0));
      case "graph that stops":
        return this.#chain(program.parts[0], pathOf(path, 0)).compile(
          plain({ interruptBefore: ["all"], interruptAfter: ["all"] }),
        );
      case "graph with a state":
        return this.#withState(program.parts[0], path);
      case "loop":
        return new Graph<string, string>()
          .addNode("body", this.#node(program.parts[0], pathOf(path, 0)))
          .addEdge(START, "body")
          .addBranch("body", ["body", END], (text) => (again(String(text)) ? "body" : END));
      case "run inside":
        return this.#inside(program.parts[0], pathOf(path, 0));
      case "runs inside":
        return async (text: string, ctx: NodeContext) => {
          const runs = program.parts.map((part, n) => this.#inside(part, pathOf(path, n), `child ${n}`)(text, ctx));
          return joined(path, await Promise.all(runs));
        };
      case "tools":
      case "tools in turn":
        return this.#tools(program.parts, path, program.kind === "tools in turn");
      default:
        return program satisfies never;
    }
  }

  #leaf(kind: "work" | "asks" | "asks twice" | "once", path: string): Node {
    return async (text, ctx) => {
      if (kind === "asks" || kind === "asks twice") await this.#ask(ctx, "one", path, text);
      if (kind === "asks twice") await this.#ask(ctx, "two", path, text);
      if (kind === "once") await this.#twoPieces(ctx, path, text);
      else await this.#log.work(this.#process, ctx, nameOf(path, text));
      return hash(path, text);
    };
  }

  async #twoPieces(ctx: NodeContext, path: string, text: string): Promise<void> {
    const piece = (key: string, after: readonly string[]) =>
      ctx.once(key, () =>
        this.#log.work(this.#process, { taskKey: `${ctx.taskKey} ${key}` }, nameOf(`${path}${key}`, text), after),
      );
    await piece("a", []);
    await piece("b", [nameOf(`${path}a`, text)]);
  }

  #stream(kind: "streams" | "streams and asks", path: string): Node {
    const { ask, work } = {
      ask: (ctx: NodeContext, text: string) => this.#ask(ctx, "one", path, text),
      work: (ctx: NodeContext, text: string) => this.#log.work(this.#process, ctx, nameOf(path, text)),
    };
    return async function* (text: string, ctx: NodeContext) {
      const letters = hash(path, text);
      yield letters.slice(0, 2);
      if (kind === "streams and asks") await ask(ctx, text);
      yield letters.slice(2, 4);
      await work(ctx, text);
      yield letters.slice(4);
    };
  }

  async #ask(ctx: NodeContext, key: string, path: string, text: string): Promise<void> {
    const question = `${key} ${nameOf(path, text)}`;
    const answer = await ctx.ask(key, question);
    if (answer !== question) this.wrongAnswers.push(`${question}: ${String(answer)}`);
  }

  #parallel(parts: readonly Program[], path: string): Graph<string, string> {
    const graph = new Graph<string, string>();
    const keys = parts.map((_, n) => `m${n}`);
    parts.forEach((part, n) => {
      graph.addNode(plain(keys[n]), this.#node(part, pathOf(path, n)), plain({ outputKey: keys[n] }));
    });
    const join = (all: Readonly<Record<string, string>>) =>
      joined(
        path,
        keys.map((key) => all[key] ?? ""),
      );
    graph.addNode(plain("join"), plain(join));
    for (const key of keys) graph.addEdge(START, plain(key)).addEdge(plain(key), plain("join"));
    graph.addEdge(plain("join"), END);
    return graph;
  }

  /** The state that one handler writes is what the other one reads, whatever happened in between. */
  #withState(part: Program, path: string): Graph<string, string, { readonly seen: Set<string> }> {
    const before = (text: string, state: { readonly seen: Set<string> }) => {
      this.befores.push(nameOf(path, text));
      state.seen.add(text);
      return text;
    };
    const after = (text: string, state: { readonly seen: Set<string> }) => {
      if (state.seen.size !== 1) this.wrongAnswers.push(`${path} has lost its state`);
      return text;
    };
    return new Graph<string, string>()
      .withState(() => ({ seen: new Set<string>() }))
      .addNode("node", this.#node(part, pathOf(path, 0)), { before: plain(before), after: plain(after) })
      .addEdge(START, "node")
      .addEdge("node", END) as never;
  }

  #inside(part: Program, path: string, key?: string): (text: string, ctx: NodeContext) => Promise<string> {
    const child = this.#chain(part, path).compile({ name: "child" });
    return (text, ctx) => child.invoke(text, { parent: ctx, key });
  }

  #tools(parts: readonly Program[], path: string, executeSequentially: boolean): Chain<string, string> {
    const tools = parts.map((part, n) => {
      const run = this.#inside(part, pathOf(path, n));
      const execute = (input: { text?: string }, ctx: NodeContext) => run(String(input.text), ctx);
      return createTool({ id: `tool_${n}`, description: "A part.", execute });
    });
    return new Chain<string>()
      .append((text) =>
        assistantMessage(
          parts.map((_, n) =>
            functionToolCall({ callId: `call ${n}`, name: `tool_${n}`, arguments: JSON.stringify({ text }) }),
          ),
        ),
      )
      .appendToolsNode(new AgenticToolsNode({ tools, executeSequentially }))
      .append((results) =>
        joined(
          path,
          results.flatMap(toolResultsOf).map(({ result }) => result),
        ),
      );
  }
}
