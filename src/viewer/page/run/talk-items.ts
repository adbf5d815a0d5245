import type { WireValue } from "../../api.js";
import { field, parsed } from "../parts/plain-value.js";
import { readMessage, readMessages, type ShownMessage } from "./messages.js";
import type { Moment } from "./moment.js";
import { inputOf, outputOf, type ShownSpan } from "./run-model.js";

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
    }
  | { readonly kind: "question"; readonly id: string; readonly span: ShownSpan }
  | { readonly kind: "error"; readonly id: string; readonly span: ShownSpan }
  | { readonly kind: "wait"; readonly id: string; readonly ms: number };

/** The conversation at a moment. Text is shown as far as it had arrived. */
export function talkItems(moment: Moment): TalkItem[] {
  const { run, time } = moment;
  const items: TalkItem[] = [];
  const prompted = new Set<string>();
  run.segments.forEach((segment, index) => {
    const before = run.segments[index - 1];
    if (segment.start > time) return;
    if (before?.status === "waiting") {
      items.push({ kind: "wait", id: `wait ${index}`, ms: segment.start - before.end });
    }
    for (const span of run.spans) {
      if (span.source.segment !== index || span.start > time) continue;
      items.push(...itemsOf(span, moment, prompted, run.segments[index + 1]?.start ?? Number.POSITIVE_INFINITY));
    }
  });
  return items;
}

function itemsOf(span: ShownSpan, moment: Moment, prompted: Set<string>, next: number): TalkItem[] {
  const { id, path, tool, component, source } = span;
  const isOver = span.end <= moment.time;
  if (component === "model" && tool === undefined && isBesideAgents(moment, span)) {
    const message = isOver ? readMessage(outputOf(moment.run, span)?.value) : undefined;
    const result = message?.text;
    return [{ kind: "tool", id, span, name: path, arguments: result ?? "", result }];
  }
  if (component === "model" && tool === undefined) {
    const found: TalkItem[] = [];
    const prompts = promptsOf(moment, span, prompted);
    if (prompts.length > 0) found.push({ kind: "prompt", id: `${id} prompt`, messages: prompts });
    return [...found, answerOf(span, moment)];
  }
  if (component === "tool" && tool === source.name) {
    // a call that waited is shown as the one that came of the answer
    if (source.status === "waiting" && moment.time >= next) return [];
    const given = parsed(field(inputOf(moment.run, span)?.value, "arguments")) ?? inputOf(moment.run, span)?.value;
    const value = isOver ? outputOf(moment.run, span)?.value : undefined;
    return [{ kind: "tool", id, span, name: tool, arguments: given, result: parsed(field(value, "result") ?? value) }];
  }
  if (path === "" || !isOver || hasInner(moment, span)) return [];
  if (source.status === "waiting" && component !== "tools_node") return [{ kind: "question", id, span }];
  return source.status === "failed" ? [{ kind: "error", id, span }] : [];
}

/** Where agents talk, what other models answer is a result, not a part of the conversation. */
function isBesideAgents({ run }: Moment, { source }: ShownSpan): boolean {
  const isAgent = (id: string | undefined): boolean =>
    run.spans.some((span) => span.id === id && span.component === "agent");
  return !isAgent(source.parent) && run.spans.some(({ component }) => component === "agent");
}

/** A question or error of an inner node is shown there, not again around it. */
function hasInner({ run }: Moment, { path, id }: ShownSpan): boolean {
  return run.spans.some(({ source, path: other }) => source.parent === id || other.startsWith(`${path}/`));
}

/** What the user said: once for each place that talks with a model, and again in later turns only what is new. */
function promptsOf({ run }: Moment, span: ShownSpan, prompted: Set<string>): ShownMessage[] {
  if (prompted.has(span.path)) return [];
  prompted.add(span.path);
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
