/** A tool of any type. @internal */
export interface AnyMastraTool {
  readonly id: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  execute(input: never, ctx: never): unknown;
}
