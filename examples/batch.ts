// One Runnable, many inputs: runs in parallel, limits the concurrency, and returns the results in the order of the
// inputs.
// expect: [ 'a', 'bb', 'ccc', 'dddd', 'eeeee' ]
// expect: at most 2 at a time
// expect: stopped: no room for "ccc"
import { batch, Chain } from "kumiko";

let open = 0;
let most = 0;
const repeat = new Chain<[letter: string, times: number]>()
  .append(async ([letter, times]) => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setTimeout(resolve, 6 - times)); // later inputs finish faster
    open -= 1;
    return letter.repeat(times);
  })
  .compile();

const inputs = ["a", "b", "c", "d", "e"].map((letter, index): [string, number] => [letter, index + 1]);
console.log(await batch(repeat, inputs, { concurrency: 2 }));
console.log(`at most ${most} at a time`);

// The first run that fails stops the others.
const strict = new Chain<string>()
  .append((text) => {
    if (text.length > 2) throw new Error(`no room for "${text}"`);
    return text;
  })
  .compile();
await batch(strict, ["a", "bb", "ccc"]).catch((error: Error) =>
  console.log(`stopped: ${(error.cause as Error).message}`),
);
