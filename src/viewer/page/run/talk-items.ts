import type { AskedView, WireValue } from "../../api.js";
import { field, parsed } from "../parts/plain-value.js";
import { readMessage, readMessages, type ShownMessage } from "./messages.js";
import { type Moment, type Status, statusAt } from "./moment.js";
import { countUntil } from "./row-times.js";
import { inputOf, outputOf, type RunModel, type ShownSpan } from "./run-model.js";

/** What stands in the conversation, in order. */
export type TalkItem =
  | { readonly kind: "prompt"; readonly id: string; readonly messages: readonly ShownMessage[] }
  | {
      readonly kind: "answer";
      readonly id: string;
      readonly span: ShownSpan;
      readonly text: string;
      readonly reasoning: string;
      readonly state: "thinking" | "writing" | "done";
    }
  | {
      /** A call of a tool, or of a model that is a step of its own beside agents. */
      readonly kind: "tool";
      readonly id: string;
      readonly span: ShownSpan;
      readonly name: string;
      readonly arguments: WireValue | undefined;
      readonly result: WireValue | undefined;
      readonly status: Status;
    }
  /** `asked` is known where the run keeps a history. */
  | {
      readonly kind: "question";
      readonly id: string;
      readonly span: ShownSpan;
      readonly asked: AskedView | undefined;
    }
  | { readonly kind: "error"; readonly id: string; readonly span: ShownSpan }
  | { readonly kind: "wait"; readonly id: string; readonly ms: number };

export interface Talk {
  readonly items: readonly TalkItem[];
  /** How many came before those. */
  readonly earlier: number;
}

/** The conversation at a moment: its last items. Text is shown as far as it had arrived. */
export function talkAt(moment: Moment, limit: number): Talk {
  const { time, run } = moment;
  const { parts, ends } = partsOf(run);
  const begun = countUntil(parts, time, ({ from }) => from);
  const shown: TalkItem[] = [];
  let at = begun;
  for (; at > 0 && shown.length < limit; at--) {
    const part = parts[at - 1] as Part;
    if (time < part.until) shown.unshift(itemOf(part, moment));
  }
  const over = countUntil(ends, time, (until) => until);
  return { items: shown, earlier: begun - over - shown.length };
}

/** Something that stands in the conversation during a time, whatever its text is then. */
interface Part {
  readonly kind: TalkItem["kind"] | "result";
  readonly from: number;
  readonly until: number;
  readonly span: ShownSpan;
}

interface Parts {
  /** In the order in which they come. */
  readonly parts: readonly Part[];
  /** When parts are over, in order. */
  readonly ends: readonly number[];
}

const known = new WeakMap<RunModel["view"], Parts>();

function partsOf(run: RunModel): Parts {
  const found = known.get(run.view);
  if (found !== undefined) return found;
  const prompted = new Set<string>();
  const inSegments = run.segments.map((): ShownSpan[] => []);
  for (const span of run.spans) inSegments[span.source.segment]?.push(span);
  const parts = inSegments
    .flatMap((spans, index) => partsOfSegment(run, index, spans, prompted))
    .sort((a, b) => a.from - b.from);
  const ends = parts.flatMap(({ until }) => (Number.isFinite(until) ? [until] : [])).sort((a, b) => a - b);
  const made = { parts, ends };
  known.set(run.view, made);
  return made;
}

function partsOfSegment(run: RunModel, index: number, spans: readonly ShownSpan[], prompted: Set<string>): Part[] {
  const [first] = spans;
  if (first === undefined) return [];
  const never = Number.POSITIVE_INFINITY;
  const next = run.segments[index + 1]?.start ?? never;
  const parts = spans.flatMap((span): Part[] => {
    const kind = kindOf(run, span);
    if (kind === undefined) return [];
    // a call that waited is shown as the one that came of the answer
    const until = kind === "tool" && span.status === "waiting" ? next : never;
    const part = { kind, from: kind === "question" || kind === "error" ? span.end : span.start, until, span };
    if (kind !== "answer" || prompted.has(span.path)) return [part];
    prompted.add(span.path);
    return [{ ...part, kind: "prompt" }, part];
  });
  const isAnswered = run.segments[index - 1]?.status === "waiting";
  return isAnswered ? [{ kind: "wait", from: first.start, until: never, span: first }, ...parts] : parts;
}

function kindOf(run: RunModel, span: ShownSpan): Part["kind"] | undefined {
  const { path, tool, component, source, id } = span;
  // where agents talk, what other models answer is a result, not a part of the conversation
  if (component === "model" && tool === undefined) {
    return run.agents.size > 0 && !run.agents.has(source.parent ?? "") ? "result" : "answer";
  }
  if (component === "tool" && tool === source.name) return "tool";
  // a question or error of an inner node is shown there, not again around it
  if (path === "" || run.parents.has(id) || run.outer.has(path)) return undefined;
  if (source.status === "waiting" && component !== "tools_node") return "question";
  return source.status === "failed" ? "error" : undefined;
}

const settled = new WeakMap<Part, TalkItem>();

/** A part that is over keeps its item, so that it is not rendered again for each moment. */
function itemOf(part: Part, moment: Moment): TalkItem {
  if (part.kind !== "wait" && part.kind !== "prompt" && part.span.end > moment.time) return newItem(part, moment);
  const found = settled.get(part) ?? newItem(part, moment);
  settled.set(part, found);
  return found;
}

function newItem({ kind, span }: Part, moment: Moment): TalkItem {
  const { id, path } = span;
  switch (kind) {
    case "wait": {
      const index = span.source.segment;
      const { segments } = moment.run;
      return { kind, id: `wait ${index}`, ms: (segments[index]?.start ?? 0) - (segments[index - 1]?.end ?? 0) };
    }
    case "prompt":
      return { kind, id: `${id} prompt`, messages: promptsOf(moment, span) };
    case "answer":
      return answerOf(span, moment);
    case "result": {
      const result = span.end <= moment.time ? readMessage(outputOf(moment.run, span)?.value)?.text : undefined;
      const status = statusAt(span, moment.time);
      return { kind: "tool", id, span, name: path, arguments: result ?? "", result, status };
    }
    case "tool":
      return toolOf(span, moment);
    case "question":
      return { kind, id, span, asked: askedBy(span, moment.run) };
    case "error":
      return { kind, id, span };
    default:
      return kind satisfies never;
  }
}

/** What it asked, by the save with which it began to wait. */
function askedBy({ end, source }: ShownSpan, { saves }: RunModel): AskedView | undefined {
  const save = saves.findLast(
    ({ time, asked }) => time <= end + 50 && asked?.some((one) => isAsked(one, source.address)),
  );
  return save?.asked?.find((one) => isAsked(one, source.address));
}

/** Whether a question is one of the node at an address, or of what ran in it. */
export function isAsked(question: AskedView, address: string): boolean {
  return question.address === address || question.path === address || question.address.startsWith(`${address};`);
}

function toolOf(span: ShownSpan, { run, time }: Moment): TalkItem {
  const input = inputOf(run, span)?.value;
  const value = span.end <= time ? outputOf(run, span)?.value : undefined;
  return {
    kind: "tool",
    id: span.id,
    span,
    name: span.tool ?? span.source.name,
    arguments: parsed(field(input, "arguments")) ?? input,
    result: parsed(field(value, "result") ?? value),
    status: statusAt(span, time),
  };
}

/** What the user said: the last messages before the model answered for the first time. */
function promptsOf({ run }: Moment, span: ShownSpan): ShownMessage[] {
  const messages = readMessages(inputOf(run, span)?.value).filter(({ role }) => role !== "system");
  const lastOther = messages.findLastIndex(({ role }) => role !== "user");
  return messages.slice(lastOther + 1).filter(({ text, images }) => text !== "" || images.length > 0);
}

function answerOf(span: ShownSpan, moment: Moment): TalkItem {
  const message = readMessage(outputOf(moment.run, span)?.value);
  const [text, reasoning] = [message?.text ?? "", message?.reasoning ?? ""];
  const { id, first, end } = span;
  if (end <= moment.time) return { kind: "answer", id, span, text, reasoning, state: "done" };
  if (first === undefined || first > moment.time) {
    return { kind: "answer", id, span, text: "", reasoning: "", state: "thinking" };
  }
  return { kind: "answer", id, span, text: arrived(span, text, moment.time), reasoning: "", state: "writing" };
}

/** The text as far as it had arrived: by the lengths that were recorded with the chunks. */
function arrived({ chunks }: ShownSpan, text: string, time: number): string {
  const last = chunks?.at.findLast(([at]) => at <= time);
  return last === undefined ? "" : text.slice(0, last[1]);
}
