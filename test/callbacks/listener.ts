import type { Handler, RunInfo } from "kumiko";
import type { ComponentKind, HandlerErrorListener } from "kumiko/callbacks";
import { HandlerList } from "../../src/callbacks/handler-list.js";
import { RunRecord } from "../../src/callbacks/run-info.js";
import { Span } from "../../src/callbacks/span.js";

/** One call of a handler, as text: `b onEnd model 3`. */
export type Heard = string[];

/** A handler with value timings that writes down what it hears; its span of a run is the run's name. */
export function listener(name: string, heard: Heard): Handler {
  const write = (timing: string, { name: run }: RunInfo, value: unknown, span: unknown): void => {
    const text = value instanceof Error ? value.message : JSON.stringify(value);
    heard.push(
      [name, timing, run, text, span === undefined ? "" : `(${String(span)})`].filter((part) => part).join(" "),
    );
  };
  return {
    onStart(info, value, span) {
      write("start", info, value, span);
      return `${name}:${info.name}`;
    },
    onEnd: (info, value, span) => write("end", info, value, span),
    onError: (info, error, span) => write("error", info, error, span),
    onInterrupt: (info, interrupt, span) => write("interrupt", info, interrupt, span),
    onEvent: (info, event, span) => write("event", info, event, span),
  };
}

export const place = { address: "runnable:test" };

export function watchersOf(handlers: readonly Handler[], onHandlerError: HandlerErrorListener = rethrow): HandlerList {
  const watchers = HandlerList.of(handlers, onHandlerError);
  if (watchers === undefined) throw new Error("a test watches with one handler at least");
  return watchers;
}

/** Opens the watch of a run with this name. */
export function open(name: string, watchers: HandlerList, parent?: Span, component: ComponentKind = "lambda"): Span {
  return new Span(watchers, new RunRecord(parent?.info, component, name, "", place), parent);
}

/** Opens the watch of a run of an agent in a thread. */
export function openAgent(threadId: string, watchers: HandlerList, parent: Span): Span {
  const info = new RunRecord(parent.info, "agent", "helper", "", place, undefined, () => ({ threadId }));
  return new Span(watchers, info, parent);
}

/** Tests in which no handler throws fail when one does. */
function rethrow(error: unknown): never {
  throw error;
}
