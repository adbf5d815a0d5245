import { OnDemand } from "../../schema/on-demand.js";

const onDemand = new OnDemand(() => import("./extract-metadata.js"));

/** Loads the extraction of metadata on first use. */
export function loadExtraction(): Promise<typeof import("./extract-metadata.js")> {
  return onDemand.load();
}
