import { codecOf } from "../../checkpoint/values/codec-of.js";
import type { ValueCodec } from "../../checkpoint/values/value-codec.js";
import type { CacheSettings } from "../../compose/plan/policy-settings.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { ArraySource } from "../../schema/stream/array-source.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { SerialSource } from "../../schema/stream/serial-source.js";
import type { ChunkSource } from "../../schema/stream/source.js";
import { oneChunk } from "../streams/joining.js";
import type { Task } from "../task.js";
import { canonicalText } from "./canonical-text.js";
import { Flights } from "./flights.js";
import type { GivenInput } from "./given-input.js";

/** The result of a cache lookup; after a miss, the caller must call `keep` once it has the output or has failed. */
interface Found {
  readonly hit: { readonly value: unknown } | undefined;
  /** Stores the output. Without one, nothing is stored, and a waiting run computes it instead. */
  readonly keep: (made?: { readonly value: unknown }) => Promise<void>;
  /** With `coalesce`: calls back once another run waits for it. */
  readonly whenAwaited: ((tell: () => void) => void) | undefined;
}

/** A node whose outputs are cached. */
export class CachedNode {
  readonly #settings: CacheSettings;
  readonly #joining: Joining;

  constructor(settings: CacheSettings, joining: Joining) {
    this.#settings = settings;
    this.#joining = joining;
  }

  async invoke(input: unknown, task: Task, make: () => Promise<unknown>): Promise<unknown> {
    const found = await this.#find(input, task);
    if (found === undefined) return make();
    if (found.hit !== undefined) return found.hit.value;
    try {
      const value = await make();
      await found.keep(isOwn(task) ? { value } : undefined);
      return value;
    } catch (error) {
      await found.keep();
      throw error;
    }
  }

  async stream(
    given: GivenInput,
    task: Task,
    make: () => Promise<StreamReader<unknown>>,
  ): Promise<StreamReader<unknown>> {
    let found: Found | undefined;
    try {
      found = await this.#find(await given.whole(), task);
    } catch (error) {
      // if the input stream failed, the node gets that error when it reads it; if its source asks, there is no input yet
      if (given.failure === undefined || task.owner.isStop(error)) throw error;
    }
    if (found === undefined) return make();
    if (found.hit !== undefined) {
      given.forget();
      return oneChunk(found.hit.value, this.#joining);
    }
    try {
      const reader = await make();
      const { joining } = reader;
      const source = reader.takeSource();
      if (source instanceof ArraySource) {
        await found.keep(await wholeOf(source.rest(), joining, task));
        return new StreamReader<unknown>(source, joining);
      }
      if (found.whenAwaited === undefined)
        return new StreamReader<unknown>(new KeepingSource(source, joining, task, found), joining);
      const [own, ahead] = new StreamReader<unknown>(source, joining).copy(2);
      const keeping = new KeepingSource(own.takeSource(), joining, task, found, ahead);
      // a waiting run must not depend on how fast this run's output is read
      found.whenAwaited(() => keeping.readAhead());
      return new StreamReader<unknown>(keeping, joining);
    } catch (error) {
      await found.keep();
      throw error;
    }
  }

  /** `undefined` if nothing is to be cached: this input has no key, or the node continues after a question. */
  async #find(input: unknown, task: Task): Promise<Found | undefined> {
    if (task.openedInvocation?.hasQuestions === true) return undefined;
    const { runtime } = task;
    const codec = codecOf(runtime.codecs);
    const key = await cacheKey(this.#settings, input, task);
    task.scope.throwIfAborted();
    if (key === undefined) return undefined;
    const { store, coalesce, ttlMs } = this.#settings;
    const flight = coalesce === true ? await Flights.of(store).join(key, task.signal) : undefined;
    const landed = flight?.landed;
    let read: Uint8Array | undefined;
    try {
      task.scope.throwIfAborted();
      read = landed ?? (await this.#read(key, task));
      task.scope.throwIfAborted();
    } catch (error) {
      flight?.land(undefined);
      flight?.close();
      throw error;
    }
    const hit = read && this.#decode(read, codec, task);
    if (hit !== undefined) {
      flight?.land(read);
      flight?.close();
      task.span?.event({ kind: "cache_hit", key });
      return { hit, keep: async () => undefined, whenAwaited: undefined };
    }
    const keep = async (made?: { readonly value: unknown }): Promise<void> => {
      const data = made === undefined ? undefined : this.#encode(made.value, codec, task);
      flight?.land(data);
      if (data !== undefined) await this.#write(key, data, ttlMs, task);
      flight?.close();
    };
    return { hit: undefined, keep, whenAwaited: flight?.whenAwaited };
  }

  async #read(key: string, task: Task): Promise<Uint8Array | undefined> {
    try {
      return await this.#settings.store.get(key);
    } catch (error) {
      task.span?.event({ kind: "cache_failed", operation: "get", error });
      return undefined;
    }
  }

  async #write(key: string, data: Uint8Array, ttlMs: number | undefined, task: Task): Promise<void> {
    try {
      await this.#settings.store.set(key, data, ttlMs);
    } catch (error) {
      task.span?.event({ kind: "cache_failed", operation: "set", error });
    }
  }

  /** One line with the expiry time on the runtime's clock (empty: never), then the encoded value. */
  #encode(value: unknown, codec: ValueCodec, task: Task): Uint8Array | undefined {
    const { ttlMs } = this.#settings;
    const until = ttlMs === undefined ? "" : String(task.runtime.clock.now() + ttlMs);
    try {
      return new TextEncoder().encode(`${until}\n${codec.encode(value, "the output")}`);
    } catch (error) {
      task.span?.event({ kind: "cache_failed", operation: "encode", error });
      return undefined;
    }
  }

  #decode(data: Uint8Array, codec: ValueCodec, task: Task): { readonly value: unknown } | undefined {
    try {
      const text = new TextDecoder().decode(data);
      const end = text.indexOf("\n");
      const until = text.slice(0, end);
      if (until !== "" && Number(until) <= task.runtime.clock.now()) return undefined;
      return { value: codec.decode(JSON.parse(text.slice(end + 1)), "a cached output") };
    } catch (error) {
      task.span?.event({ kind: "cache_failed", operation: "decode", error });
      return undefined;
    }
  }
}

/** Whether the output may be cached: it is not that of `fallback`, and did not depend on an answer. */
function isOwn(task: Task): boolean {
  return task.openedInvocation?.hasQuestions !== true && task.tried?.fellBack !== true && !task.hasStopped;
}

/** The value to cache; `undefined` if it is not the node's own or cannot be joined. */
async function wholeOf(
  chunks: readonly unknown[],
  joining: Joining | undefined,
  task: Task,
): Promise<{ readonly value: unknown } | undefined> {
  if (!isOwn(task)) return undefined;
  try {
    return { value: joinChunks(chunks, joining) };
  } catch {
    return undefined;
  }
}

/** Passes chunks on, and caches the joined value at the end. */
class KeepingSource extends SerialSource<unknown> {
  readonly #source: ChunkSource<unknown>;
  readonly #joining: Joining | undefined;
  readonly #task: Task;
  readonly #found: Found;
  readonly #chunks: unknown[] = [];
  readonly #ahead: StreamReader<unknown> | undefined;
  #isReadAhead = false;
  #isOver = false;

  constructor(
    source: ChunkSource<unknown>,
    joining: Joining | undefined,
    task: Task,
    found: Found,
    ahead?: StreamReader<unknown>,
  ) {
    super();
    this.#ahead = ahead;
    this.#source = source;
    this.#joining = joining;
    this.#task = task;
    this.#found = found;
  }

  /** Reads a copy of the stream to its end, independently of its reader, and caches the joined value. */
  async readAhead(): Promise<void> {
    if (this.#ahead === undefined || this.#isOver) return;
    this.#isReadAhead = true;
    const chunks: unknown[] = [];
    try {
      for await (const chunk of this.#ahead) chunks.push(chunk);
      if (!this.#isOver) await this.#found.keep(await wholeOf(chunks, this.#joining, this.#task));
    } catch {
      // the reader gets the error
      await this.#found.keep();
    }
  }

  #end(): void {
    this.#isOver = true;
    if (!this.#isReadAhead) void this.#ahead?.cancel();
  }

  protected override async pull(): Promise<IteratorResult<unknown, undefined>> {
    try {
      const result = await this.#source.next();
      this.checkOpen();
      if (result.done !== true) {
        this.#chunks.push(result.value);
        this.settle();
        return result;
      }
      this.#end();
      await this.#found.keep(await wholeOf(this.#chunks, this.#joining, this.#task));
    } catch (error) {
      this.#end();
      this.finish();
      await this.#found.keep();
      throw error;
    }
    this.finish();
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.#isOver = true;
    this.#source.cancel(reason);
    void this.#ahead?.cancel(reason);
    void this.#found.keep();
  }
}

/**
 * The cache key for an input: `<graph>/<path>/<SHA-256>`, so that all entries of a node share a prefix. `undefined` if the
 * output is not to be cached.
 */
async function cacheKey({ key, version = "" }: CacheSettings, input: unknown, task: Task): Promise<string | undefined> {
  const own = key === undefined ? undefined : key(input as never, task);
  if (key !== undefined && own === undefined) return undefined;
  const canonical = own === undefined ? canonicalText(input, task.runtime.codecs) : undefined;
  if (own === undefined && canonical === undefined) return undefined;
  const graph = task.owner.cacheName;
  const path = task.nodePath.map(encodeURIComponent).join("/");
  const text = JSON.stringify([graph, path, version, own === undefined ? "input" : "key", own ?? canonical]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${encodeURIComponent(graph)}/${path}/${hash}`;
}
