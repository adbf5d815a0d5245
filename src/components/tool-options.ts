declare const forTool: unique symbol;

/** Options for one kind of tool, as given to a run: `{ options: { tool: [withTimeout(5_000)] } }`. */
export interface ToolOption {
  /** Which tools read it: those made with `toolOptions` of this key. */
  readonly key: string;
  /** The values, by their names. */
  readonly values: object;
}

/** The options of one tool (or family of tools): its key, its defaults, and how to set some of them for a call. */
export interface ToolOptions<Options extends object> {
  /** The key by which options of a run find their tools. */
  readonly key: string;
  /** The values that apply unless a run sets others. */
  readonly defaults: Options;
  /** Sets some of the options, for `options.tool` of a run. */
  readonly with: (values: Partial<Options>) => ToolOption;
  readonly [forTool]?: Options | undefined;
}

/** The options of some tool. */
export interface AnyToolOptions {
  /** The key that call options name. */
  readonly key: string;
  /** The values without call options. */
  readonly defaults: object;
}

/**
 * Declares the options that a tool reads from `ctx.options`, with their defaults. A tool ignores options of another key.
 *
 * @example
 * interface SearchOptions { timeout: number; maxRetries: number }
 * const options = toolOptions<SearchOptions>("search", { timeout: 1_000, maxRetries: 3 });
 * const withTimeout = (timeout: number) => options.with({ timeout });
 */
export function toolOptions<Options extends object>(key: string, defaults: Options): ToolOptions<Options> {
  return Object.freeze({ key, defaults, with: (values: Partial<Options>) => ({ key, values }) });
}

/** The options of a tool: its defaults, overridden by those of the run for its key, later ones over earlier ones. */
export function mergeToolOptions(options: AnyToolOptions, given: readonly ToolOption[] | undefined): object {
  const merged: Record<string, unknown> = { ...options.defaults };
  for (const { key, values } of given ?? []) {
    if (key !== options.key) continue;
    for (const [name, value] of Object.entries(values)) if (value !== undefined) merged[name] = value;
  }
  return merged;
}
