import {
  type CacheStore,
  Chain,
  each,
  lambda,
  type NodeContext,
  passthrough,
  type Runnable,
  type StreamReader,
} from "kumiko";
import { allOf, itemSpec, itemsOf, joined, turnOf } from "./meaning.js";
import type { NodeSpec, Value } from "./spec.js";
import { answerTo, onceOf, outputOf, questionOf, visitOf, written } from "./words.js";
import type { Process } from "./world.js";

/** What a body needs to know of the program around it. */
export interface Scene {
  readonly process: Process;
  /** Questions are answered in the node, by itself. */
  readonly isAnswered: boolean;
  readonly cache: CacheStore;
  /** Makes what a flow is made of. */
  readonly inner: (spec: NodeSpec, path: string) => Inner;
}

/** A builder, and the same compiled. */
export interface Inner {
  readonly node: unknown;
  readonly app: () => Runnable<Value, Value>;
}

/** The node of a spec. */
export function bodyOf(spec: NodeSpec, path: string, scene: Scene): unknown {
  switch (spec.kind) {
    case "pass":
      return passthrough();
    case "flow":
      return scene.inner(spec, path).node;
    case "each":
      return eachOf(spec, path, scene);
    case "value":
      return (input: Value, ctx: NodeContext) => wholeOf(new Body(spec, path, scene, input, ctx));
    case "child": {
      const app = scene.inner(spec, path).app();
      return (input: Value, ctx: NodeContext) => wholeOf(new Body(spec, path, scene, input, ctx, app));
    }
    case "sync":
      return (input: Value, ctx: NodeContext) => new Body(spec, path, scene, input, ctx).atOnce();
    case "stream":
      return (input: Value, ctx: NodeContext) => new Body(spec, path, scene, input, ctx).pieces();
    case "transform":
      return lambda(
        { transform: (chunks: StreamReader<Value>, ctx) => piecesOf(spec, path, scene, chunks, ctx) },
        text,
      );
    case "collect":
      return lambda({
        collect: async (chunks: StreamReader<Value>, ctx) =>
          wholeOf(new Body(spec, path, scene, await joined(chunks), ctx)),
      });
    case "early":
      return lambda({ transform: (chunks: StreamReader<Value>, ctx) => earlyOf(spec, path, scene, chunks, ctx) }, text);
    default:
      return spec.kind satisfies never;
  }
}

const text = { concat: "text" } as const;

async function wholeOf(body: Body): Promise<string> {
  const leave = body.enter();
  try {
    let whole = "";
    for await (const piece of body.pieces()) whole += piece;
    return whole;
  } finally {
    leave();
  }
}

/** Gives something of its own as soon as a chunk has come. */
async function* piecesOf(spec: NodeSpec, path: string, scene: Scene, chunks: StreamReader<Value>, ctx: NodeContext) {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const rest = async function* () {
    if (!first.done) yield first.value;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  };
  if (spec.fails === undefined && spec.hangs === undefined) {
    const prefix = `${path.split("/").at(-1)}~`;
    yield prefix;
    const pieces = new Body(spec, path, scene, await joined(rest()), ctx).pieces();
    // its first piece is there already
    await pieces.next();
    yield* pieces;
    return;
  }
  yield* new Body(spec, path, scene, await joined(rest()), ctx).pieces();
}

async function* earlyOf(spec: NodeSpec, path: string, scene: Scene, chunks: StreamReader<Value>, ctx: NodeContext) {
  for await (const _ of chunks) break;
  yield* new Body(spec, path, scene, "early", ctx).pieces();
}

/** The work of one visit. */
class Body {
  readonly #spec: NodeSpec;
  readonly #path: string;
  readonly #scene: Scene;
  readonly #ctx: NodeContext;
  readonly #input: Value;
  readonly #visit: string;
  readonly #app: Runnable<Value, Value> | undefined;

  constructor(
    spec: NodeSpec,
    path: string,
    scene: Scene,
    input: Value,
    ctx: NodeContext,
    app?: Runnable<Value, Value>,
  ) {
    this.#spec = spec;
    this.#path = path;
    this.#scene = scene;
    this.#ctx = ctx;
    this.#input = input;
    this.#visit = visitOf(path, input);
    this.#app = app;
  }

  get #process(): Process {
    return this.#scene.process;
  }

  /** Functions that give values; a child shares the place of its parent. */
  enter(): () => void {
    return this.#app === undefined ? this.#process.entered(this.#ctx.signal) : () => {};
  }

  atOnce(): string {
    this.#begin();
    this.#process.failMaybe(this.#visit, this.#spec.fails?.times);
    this.#process.world.note("effect", this.#visit, this.#process);
    return this.#whole([]);
  }

  async *pieces(): AsyncGenerator<string> {
    const { fails, hangs, asks = 0, once, waits } = this.#spec;
    const process = this.#process;
    this.#begin();
    await this.#turn();
    if (hangs !== undefined && process.world.strikes(`hangs ${this.#visit}`, hangs.times)) await this.#hang(hangs.deaf);
    if (!fails?.mid) process.failMaybe(this.#visit, fails?.times);
    const prefix = `${this.#path.split("/").at(-1)}~`;
    yield prefix;
    const answers: string[] = [];
    if (asks > 0) answers.push(await this.#ask(0));
    if (once) await this.#once();
    if (this.#app !== undefined) answers.push(written(await this.#app.invoke(this.#input, { parent: this.#ctx })));
    if (fails?.mid) {
      await this.#turn();
      process.failMaybe(this.#visit, fails.times);
    }
    for (let n = 1; n < asks; n++) answers.push(await this.#ask(n));
    if (waits !== undefined) await process.wait(waits, this.#ctx.signal);
    await this.#turn();
    yield this.#whole(answers).slice(prefix.length);
    await this.#turn();
    process.world.note("effect", this.#visit, process);
  }

  #begin(): void {
    this.#process.world.note("begin", this.#visit, this.#process);
  }

  /** Nothing is done after an abort. */
  async #turn(): Promise<void> {
    await this.#process.turn();
    this.#ctx.signal.throwIfAborted();
  }

  async #hang(isDeaf: boolean | undefined): Promise<void> {
    if (!isDeaf) return this.#process.wait(1e12, this.#ctx.signal);
    await new Promise(() => {});
  }

  async #ask(n: number): Promise<string> {
    const question = questionOf(this.#visit, n);
    if (this.#scene.isAnswered) {
      await this.#turn();
      return answerTo(question);
    }
    return this.#ctx.ask(`q${n}`, { question }) as Promise<string>;
  }

  async #once(): Promise<void> {
    const name = onceOf(this.#visit);
    await this.#ctx.once("once", async () => {
      await this.#turn();
      this.#process.world.note("effect", name, this.#process);
      return name;
    });
  }

  #whole(answers: readonly string[]): string {
    const key = this.#path.split("/").at(-1) ?? "";
    const output = outputOf(this.#path, this.#visit, answers);
    return this.#spec.loop === undefined ? output : `${output}~${turnOf(this.#input, key) + 1}`;
  }
}

/** A list, its items, and their join. */
function eachOf(spec: NodeSpec, path: string, scene: Scene): unknown {
  const { items = 2, concurrency, streamed, unordered } = spec;
  const list = (input: Value): Value[] => itemsOf(path, input, items);
  const streamedList = async function* (input: Value) {
    for (const item of list(input)) {
      await scene.process.turn();
      yield [item];
    }
  };
  const options = { ...(concurrency === undefined ? {} : { concurrency }), ...(unordered ? { ordered: false } : {}) };
  const chain = new Chain<Value>() as unknown as LooseChain;
  return chain
    .append(streamed ? streamedList : list, { key: "list", ...(streamed ? { concat: "list" } : {}) })
    .append(each(itemOf(spec, path, scene) as never, options), { key: "all" })
    .append((results: readonly Value[]) => allOf(results, unordered), { key: "join" });
}

export interface LooseChain {
  append(node: unknown, options?: object): LooseChain;
  appendParallel(members: object): LooseChain;
  appendBranch(choose: unknown, members: object): LooseChain;
  appendStreamBranch(choose: unknown, members: object): LooseChain;
  compile(options?: object): unknown;
}

function itemOf(spec: NodeSpec, path: string, scene: Scene): unknown {
  if (spec.flow !== undefined) return scene.inner(spec, `${path}/item`).node;
  return (input: Value, ctx: NodeContext) =>
    wholeOf(new Body(itemSpec(spec, input), `${path}/item`, scene, input, ctx));
}
