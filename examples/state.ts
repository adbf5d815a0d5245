// Each run of a graph can have a state: for its nodes, for handlers around them, and for inner graphs through a state
// key.
// expect: guessed 50, 75, 62, 68, 71, 73 and found 73
// expect: guessed 50, 25, 12, 6, 9, 7 and found 7
import { END, Graph, START, stateKey } from "kumiko";

const game = stateKey("game", () => ({ low: 1, high: 100, guesses: [] as number[] }));

// This graph has no state of its own: it uses the state of the enclosing graph, with exclusive access.
const guess = new Graph<number, number>()
  .addNode("halve", (secret: number, ctx) =>
    ctx.processState(game, (state) => {
      state.guesses.push(Math.floor((state.low + state.high) / 2));
      return secret;
    }),
  )
  .addEdge(START, "halve")
  .addEdge("halve", END);

const play = new Graph<number, string>()
  .withState(game)
  .addNode("guess", guess, {
    after: (secret, state) => {
      const last = state.guesses.at(-1) ?? 0;
      if (last < secret) state.low = last + 1;
      if (last > secret) state.high = last - 1;
      return secret;
    },
  })
  .addNode("tell", (secret: number, { state }) => `guessed ${state.guesses.join(", ")} and found ${secret}`)
  .addEdge(START, "guess")
  .addBranch("guess", ["guess", "tell"], (secret, { state }) => (state.guesses.at(-1) === secret ? "tell" : "guess"))
  .addEdge("tell", END)
  .compile({ maxSteps: 20 });

console.log(await play.invoke(73));
console.log(await play.invoke(7)); // a new run has a new state
