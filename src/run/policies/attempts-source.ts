import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { ArraySource } from "../../schema/stream/array-source.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { SerialSource } from "../../schema/stream/serial-source.js";
import type { ChunkSource } from "../../schema/stream/source.js";
import { StreamJoining } from "../streams/joining.js";
import type { Attempt } from "./attempt.js";
import type { Attempts } from "./attempts.js";

export type OpenedAttempt = StreamReader<unknown>;

interface Settings {
  readonly open: (attempt: Attempt) => OpenedAttempt | PromiseLike<OpenedAttempt>;
  /** Turns the value of `fallback` into a stream. */
  readonly instead: (value: unknown) => OpenedAttempt;
}

/** Streams the first attempt that has a chunk; with {@link whole}, the first attempt that completes. */
export class AttemptsSource extends SerialSource<unknown> {
  readonly #attempts: Attempts;
  readonly #settings: Settings;
  #attempt: Attempt | undefined = undefined;
  #source: ChunkSource<unknown> | undefined = undefined;
  #joining: Joining | undefined = undefined;
  /** A chunk was passed on, so no further attempt can be made. */
  #isHandedOn = false;
  /** It streams the value of `fallback`, which is not retried. */
  #isInstead = false;

  constructor(attempts: Attempts, settings: Settings) {
    super();
    this.#attempts = attempts;
    this.#settings = settings;
  }

  /** A reader, once an attempt has returned its stream. Chunks that are all there already are handed on as they are. */
  async reader(): Promise<StreamReader<unknown>> {
    await this.#open();
    if (this.#source instanceof ArraySource) {
      this.#attempts.given.forget();
      this.#attempts.succeed();
      const joining = this.#joining;
      return new StreamReader<unknown>(
        this.#source,
        StreamJoining.decided(() => joining),
      );
    }
    return new StreamReader<unknown>(
      this,
      StreamJoining.decided(() => this.#joining),
    );
  }

  /** A reader of all chunks, once an attempt has completed with chunks that can be joined. */
  async whole(): Promise<StreamReader<unknown>> {
    for (;;) {
      const chunks: unknown[] = [];
      if (this.#source === undefined) await this.#open();
      try {
        if (this.#source instanceof ArraySource) chunks.push(...this.#source.rest());
        else {
          for (let next = await this.#read(); next.done !== true; next = await this.#read()) chunks.push(next.value);
        }
        // chunks that cannot be joined are a failure, as in a run on values
        if (chunks.length !== 1) joinChunks(chunks, this.#joining);
        this.#attempts.succeed();
        const joining = this.#joining;
        return new StreamReader<unknown>(
          new ArraySource(chunks),
          StreamJoining.decided(() => joining),
        );
      } catch (error) {
        await this.#failed(error);
      }
    }
  }

  protected override async pull(): Promise<IteratorResult<unknown, undefined>> {
    try {
      const result = await this.#next();
      this.checkOpen();
      if (result.done !== true) {
        this.#isHandedOn = true;
        this.#attempts.given.forget();
        this.settle();
        return result;
      }
    } catch (error) {
      this.finish();
      throw error;
    }
    this.#attempts.succeed();
    this.finish();
    return { done: true, value: undefined };
  }

  protected override stop(reason: unknown): void {
    this.#attempts.given.forget();
    this.#source?.cancel(reason);
    this.#attempts.leave(reason);
  }

  async #next(): Promise<IteratorResult<unknown, undefined>> {
    for (;;) {
      if (this.#source === undefined) await this.#open();
      try {
        return await this.#read();
      } catch (error) {
        this.checkOpen();
        await this.#failed(error);
      }
    }
  }

  async #read(): Promise<IteratorResult<unknown, undefined>> {
    const source = this.#source as ChunkSource<unknown>;
    const attempt = this.#attempt;
    if (attempt === undefined) return source.next();
    const result = await attempt.run(() => source.next(), false);
    return result;
  }

  /** Makes attempts until one returns a stream, or `fallback` a value instead. */
  async #open(): Promise<void> {
    while (this.#source === undefined) {
      const attempt = this.#attempts.begin();
      try {
        this.#take(await attempt.run(() => this.#settings.open(attempt), false), attempt);
      } catch (error) {
        await this.#failed(error);
      }
    }
  }

  /** Prepares for the next attempt, or switches to the value of `fallback`. */
  async #failed(error: unknown): Promise<void> {
    this.#source?.cancel();
    if (this.#isInstead) throw error;
    this.#source = undefined;
    const instead = await this.#attempts.failed(error, !this.#isHandedOn);
    if (instead === undefined) return;
    this.#isInstead = true;
    this.#take(this.#settings.instead(instead.value), undefined);
  }

  #take(reader: OpenedAttempt, attempt: Attempt | undefined): void {
    this.#attempt = attempt;
    this.#joining = reader.joining;
    this.#source = reader.takeSource();
  }
}
