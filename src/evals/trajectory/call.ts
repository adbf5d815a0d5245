/** A call of a tool, as it happened. */
export interface Call {
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments; text that is not JSON stays text. */
  readonly input: unknown;
  /** What the model read; JSON is parsed. Absent if the call failed, was denied, or still waits. */
  readonly output?: unknown;
  /** Why the call failed or was denied, as the model read it. */
  readonly error?: string;
  /** The agent that made the call, if a trace tells it. */
  readonly agent?: string;
  /** The calls of an agent behind the tool, if a trace tells them. */
  readonly calls?: readonly Call[];
}
