import type { ToolOutput } from "../../components/tool.js";
import { concatChunks } from "../../schema/concat/concat-chunks.js";
import type { ConcatRule, DeclaredConcat, Joining } from "../../schema/concat/rule.js";
import { cannotConcat, notAStream } from "../../schema/errors.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { SerialSource } from "../../schema/stream/serial-source.js";
import { kindOf } from "../../wording.js";
import { isToolStream, type Producer, producerOf } from "./producer.js";
import { isContentList, joinToolOutputs, ListItem } from "./tool-output.js";
import type { StagedCall } from "./tool-stages.js";

/** How the chunks that a tool yields become its output. */
export interface YieldRule {
  readonly concat: DeclaredConcat | undefined;
  /** Whether pieces are passed on as they come; otherwise only the whole value is. */
  readonly live: boolean;
  /** Whether arrays of content parts are treated as such; otherwise they are data. */
  readonly hasParts: boolean;
  /** Checks and serializes a whole value. */
  readonly finish: (value: unknown) => ToolOutput | Promise<ToolOutput>;
  /** Checks the whole value after its pieces were passed on; `undefined` when no check is needed. */
  readonly check: ((whole: unknown) => unknown) | undefined;
}

type Result = IteratorResult<ToolOutput, undefined>;

/**
 * The output of a tool that streams. Strings and arrays of parts are passed on as they come; everything else is collected,
 * joined, and passed on at the end in one piece. The return value of a generator counts only if it has yielded nothing.
 */
export class OutputSource extends SerialSource<ToolOutput> {
  private readonly open: (() => unknown) | undefined;
  private readonly rule: YieldRule;
  private readonly call: StagedCall;
  private producer: Producer | undefined;
  /** How the chunks are joined according to their stream. */
  private joining: Joining | undefined = undefined;
  private mode: "undecided" | "text" | "parts" | "items" | "whole" = "undecided";
  /** The yielded chunks that are needed at the end. */
  private readonly kept: unknown[] = [];
  /** How many items of a list went out. */
  private itemCount = 0;
  private over = false;

  /** `stream` may be a function, called at the first read, which returns a stream or a promise of one. */
  constructor(stream: object | (() => unknown), rule: YieldRule, call: StagedCall) {
    super();
    this.open = typeof stream === "function" ? (stream as () => unknown) : undefined;
    this.producer = typeof stream === "function" ? undefined : this.produce(stream);
    this.rule = rule;
    this.call = call;
  }

  protected override async pull(): Promise<Result> {
    try {
      const piece = this.over ? undefined : await this.nextPiece();
      this.checkOpen();
      if (piece === undefined) {
        this.finish();
        return { done: true, value: undefined };
      }
      this.settle();
      return { done: false, value: piece };
    } catch (error) {
      this.finish();
      throw error;
    }
  }

  protected override stop(reason: unknown): void {
    this.producer?.cancel(reason);
  }

  private async nextPiece(): Promise<ToolOutput | undefined> {
    const producer = this.producer ?? (await this.start());
    // the reader may have left before the stream began
    this.checkOpen();
    for (;;) {
      const { done, value } = await producer.next();
      if (done === true) {
        this.over = true;
        return this.finalPiece(value);
      }
      const piece = this.take(value);
      if (piece !== undefined) return piece;
    }
  }

  private async start(): Promise<Producer> {
    const stream = await this.open?.();
    if (!isToolStream(stream)) throw notAStream(stream);
    this.producer = this.produce(stream);
    if (!this.isOpen) this.producer.cancel(undefined);
    return this.producer;
  }

  private produce(stream: object): Producer {
    if (stream instanceof StreamReader) this.joining = stream.joining;
    return producerOf(stream);
  }

  /** How chunks are joined: as the tool declares, or else as its stream does, which may know only from the first chunk on. */
  private get concat(): ConcatRule | undefined {
    const { rule } = this.joining ?? {};
    return this.rule.concat ?? (rule === joinToolOutputs ? undefined : rule);
  }

  /** Takes a chunk and returns the piece to pass on now, if any. */
  private take(chunk: unknown): ToolOutput | undefined {
    if (this.mode === "undecided") this.decide(chunk);
    switch (this.mode) {
      case "text":
        return this.takeText(chunk);
      case "parts":
        return this.takeParts(chunk);
      case "items":
        return this.takeItem(chunk);
      default:
        this.kept.push(chunk);
        return undefined;
    }
  }

  /** Decides the mode by the first chunk that has a value. */
  private decide(chunk: unknown): void {
    const { concat } = this;
    if (chunk instanceof ListItem) this.mode = "items";
    else if (!this.rule.live || (concat !== undefined && concat !== "text")) this.mode = "whole";
    else if (concat === "text" || typeof chunk === "string") this.mode = "text";
    else if (this.rule.hasParts && isContentList(chunk)) this.mode = "parts";
    else if (chunk !== undefined && chunk !== null) this.mode = "whole";
    if (this.mode === "text" || this.mode === "parts") this.kept.length = 0;
  }

  private takeText(chunk: unknown): string | undefined {
    if (chunk === undefined || chunk === null) return undefined;
    if (typeof chunk !== "string" && this.concat === undefined) throw this.mixed("text", chunk);
    const text = typeof chunk === "string" ? chunk : String(concatChunks([chunk], "text", undefined, this.where));
    if (this.rule.check !== undefined) this.kept.push(text);
    return text;
  }

  private takeParts(chunk: unknown): ToolOutput | undefined {
    if (chunk === undefined || chunk === null) return undefined;
    const parts = typeof chunk === "string" ? [{ type: "text", text: chunk } as const] : chunk;
    if (!isContentList(parts)) throw this.mixed("a list of content parts", chunk);
    if (this.rule.check !== undefined) this.kept.push(...parts);
    return parts;
  }

  private takeItem(chunk: unknown): string | undefined {
    if (!(chunk instanceof ListItem)) throw this.mixed("an item of a list", chunk);
    const { check, live } = this.rule;
    if (check !== undefined || !live) this.kept.push(chunk.value);
    return live ? chunk.textAfter(this.itemCount++) : undefined;
  }

  private async lastOfItems(): Promise<ToolOutput> {
    const { kept, rule } = this;
    if (!rule.live) return rule.finish(kept);
    await rule.check?.(kept);
    // with this piece the whole text is JSON
    this.call.jsonText = "]";
    return "]";
  }

  private async finalPiece(returned: unknown): Promise<ToolOutput | undefined> {
    const { mode, kept, rule } = this;
    if (mode === "items") return this.lastOfItems();
    if (mode === "text" || mode === "parts") {
      await rule.check?.(mode === "text" ? kept.join("") : kept);
      return undefined;
    }
    if (kept.length === 0) return rule.finish(returned);
    const registry = this.joining?.registry ?? this.call.registry;
    return rule.finish(concatChunks(kept, this.concat, registry, this.where));
  }

  private get where(): string {
    return `tool "${this.call.toolName}"`;
  }

  private mixed(first: string, chunk: unknown): Error {
    return cannotConcat(this.where, `the first was ${first}, and a later one is ${kindOf(chunk)}`);
  }
}
