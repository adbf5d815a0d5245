import type { Watch } from "../../callbacks/watch.js";
import type { StagedEvent } from "../define/tool-stages.js";

/** Handlers hear of an event. An error that nobody would hear of stands in the console. */
export function reportEvent(watch: Watch | undefined, event: StagedEvent): void {
  if (watch?.watchers.hasEvent === true) watch.event(event);
  else if ("error" in event) console.error(event);
}
