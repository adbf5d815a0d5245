import type { NodeContext } from "../../components/context.js";
import type { AgentRun } from "../agent-context.js";
import type { GuardOptions, Judged } from "./guard.js";
import { ask } from "./judge.js";
import { replaced, type Span, spansOf } from "./spans.js";

/** How far what is released lags behind: what a guard finds may be as long as this. */
const lag = 200;
/** How much more has come when a guard is asked again: it is not asked for every word. */
const step = 32;
/** How much of what was released a guard that finds spans sees before the rest. */
const seenBefore = 64;

/** A text on its way through one guard. What is released is never judged again. */
export class JudgedText {
  readonly #guard: GuardOptions;
  readonly #ctx: NodeContext;
  readonly #run: AgentRun;
  /** Of a guard whose replacements are known one by one. */
  readonly #find: ReturnType<typeof spansOf>;
  #pending = "";
  #before = "";
  /** Why it is blocked, once it is. */
  blocked: (Judged & { readonly block: string }) | undefined;

  constructor(guard: GuardOptions, ctx: NodeContext, run: AgentRun) {
    this.#guard = guard;
    this.#ctx = ctx;
    this.#run = run;
    this.#find = guard.output && spansOf(guard.output);
  }

  /** Of the guard. */
  get name(): string {
    return this.#guard.name;
  }

  /** Takes more of the text, and returns what is released; a promise only of a guard that makes one. */
  take(text: string, done: boolean): string | Promise<string> {
    this.#pending += text;
    const { length } = this.#pending;
    if (length === 0 || (!done && length <= lag + step)) return "";
    if (this.#find !== undefined) return this.#cleared(this.#find, done);
    const verdict = ask(this.#guard, this.#ctx, () => this.#guard.output?.(this.#pending, { done }, this.#run));
    return verdict instanceof Promise
      ? verdict.then((judged) => this.#judged(judged, done))
      : this.#judged(verdict, done);
  }

  #judged(judged: Judged | undefined, done: boolean): string {
    const { length } = this.#pending;
    if (judged?.block !== undefined) {
      this.blocked = judged;
      return "";
    }
    const next = judged?.replace;
    if (done) return this.#release(length, next);
    const end = safeCut(this.#pending, length - lag);
    if (next === undefined) return this.#release(end);
    const { start, after } = changedPart(this.#pending, next);
    // what has been changed near the end may go on: it is judged again, with more of the text
    if (after > end) return this.#release(safeCut(this.#pending, Math.min(start, end)));
    return this.#release(end, next.slice(0, next.length - (length - end)));
  }

  /** Where it is known what would be replaced, each match is replaced whole, when all of it is there. */
  #cleared(find: (text: string) => readonly Span[], done: boolean): string {
    const { length } = this.#pending;
    const from = this.#before.length;
    const end = done ? length : safeCut(this.#pending, length - lag);
    const all = find(this.#before + this.#pending).map(({ start, end: after, text }) => ({
      start: start - from,
      end: after - from,
      text,
    }));
    const spans = all.filter(({ start }) => start >= 0 && start < end);
    const cut = Math.max(end, spans.at(-1)?.end ?? 0);
    return this.#release(cut, replaced(this.#pending.slice(0, cut), spans));
  }

  #release(end: number, text = this.#pending.slice(0, end)): string {
    if (this.#find !== undefined) this.#before = (this.#before + this.#pending.slice(0, end)).slice(-seenBefore);
    this.#pending = this.#pending.slice(end);
    return text;
  }
}

/** The part of a text that another one has changed. */
function changedPart(text: string, next: string): { readonly start: number; readonly after: number } {
  const most = Math.min(text.length, next.length);
  let start = 0;
  while (start < most && text[start] === next[start]) start++;
  let same = 0;
  while (same < most - start && text[text.length - 1 - same] === next[next.length - 1 - same]) same++;
  return { start, after: text.length - same };
}

/** Halves of a surrogate pair stay together. */
function safeCut(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return end > 0 && code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
