/** Names a kind of graph state, so that nodes of inner graphs can reach it. Make one with {@link stateKey}. */
export interface StateKey<State> {
  /** The name of the state, for errors. */
  readonly name: string;
  /** Creates the state at the start of a run. */
  readonly create: () => State;
}

/**
 * Names a kind of graph state: give it to `withState` of a graph, and to `ctx.processState` in nodes of that graph and of
 * all graphs inside it. Two keys are different even when their names are the same.
 *
 * @example
 * const chat = stateKey("chat", () => ({ turns: 0 }));
 * const graph = new Graph<string, string>()
 *   .withState(chat)
 *   .addNode("count", async (text: string, ctx) => {
 *     await ctx.processState(chat, (state) => { state.turns += 1; });
 *     return text;
 *   });
 */
export function stateKey<State>(name: string, create: () => State): StateKey<State> {
  return Object.freeze({ name, create });
}
