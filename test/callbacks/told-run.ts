import type { Handler, RunInfo } from "kumiko";
import type { ComponentKind } from "kumiko/callbacks";

let count = 0;

/** A run that tells a handler of its start, its end and what lies between, as a test says. */
export class ToldRun {
  readonly handler: Handler;
  readonly info: RunInfo;
  #span: unknown;

  constructor(handler: Handler, name: string, component: ComponentKind, parent?: ToldRun) {
    count += 1;
    this.handler = handler;
    this.#span = parent === undefined ? undefined : parent.#span;
    this.info = {
      ...{ runId: String(count), parentRunId: parent?.info.runId, name, type: "", component },
      address: "runnable:test",
    };
  }

  start(value: unknown): void {
    this.#span = this.handler.onStart?.(this.info, value, this.#span);
  }
  end(value: unknown): void {
    this.handler.onEnd?.(this.info, value, this.#span);
  }
  error(error: unknown): void {
    this.handler.onError?.(this.info, error, this.#span);
  }
  interrupt(interrupt: unknown): void {
    this.handler.onInterrupt?.(this.info, interrupt, this.#span);
  }
  event(event: unknown): void {
    this.handler.onEvent?.(this.info, event, this.#span);
  }
}
