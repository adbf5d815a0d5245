/** What stands in the pane of a run; on a phone the graph and the timeline too. */
export type RunTab = "talk" | "details" | "state" | "log" | "graph" | "time";
