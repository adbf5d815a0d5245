import type { Tool } from "./tool.js";

/** Everything that a tools node accepts as a tool. */
export type AnyTool = Tool<never>;
