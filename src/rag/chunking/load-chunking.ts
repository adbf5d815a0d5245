import { OnDemand } from "../../schema/on-demand.js";

const onDemand = new OnDemand(() => import("./chunk-document.js"));

/** Loads the splitters on first use, because a program that only queries an index does not need them. */
export function loadChunking(): Promise<typeof import("./chunk-document.js")> {
  return onDemand.load();
}
