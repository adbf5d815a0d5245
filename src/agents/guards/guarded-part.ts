/** Where a guard is asked. */
export type GuardedPart = "input" | "output" | "toolCall";
