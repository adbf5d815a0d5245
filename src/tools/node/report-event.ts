import type { Span } from "../../callbacks/span.js";
import type { StagedEvent } from "../define/tool-stages.js";

/** Handlers hear of an event. An error that nobody would hear of stands in the console. */
export function reportEvent(span: Span | undefined, event: StagedEvent): void {
  if (span?.handlers.hasEvent === true) span.event(event);
  else if ("error" in event) console.error(event);
}
