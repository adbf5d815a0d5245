// A run stops when its signal is aborted, when its time limit expires, or when the reader of its stream leaves.
// expect: stopped: the user has left
// expect: TimeoutError
// expect: the clock was stopped after 3 ticks
// expect: AbortError
import { setTimeout as sleep } from "node:timers/promises";
import { Chain } from "kumiko";

const slow = new Chain<string>()
  .append(async (text, { signal }) => {
    await sleep(60_000, undefined, { signal }); // everything that accepts a signal stops together with the run
    return text;
  })
  .compile();

const controller = new AbortController();
const running = slow.invoke("hello", { signal: controller.signal });
controller.abort(new Error("the user has left"));
await running.catch((error: Error) => console.log(`stopped: ${error.message}`));

await slow.invoke("hello", { timeoutMs: 20 }).catch((error: Error) => console.log(error.name));

const clock = new Chain<number>()
  .append(async function* (period, { signal }) {
    let ticks = 0;
    signal.addEventListener("abort", () => {
      console.log(`the clock was stopped after ${ticks} ticks`);
      console.log(signal.reason.name);
    });
    for (;;) {
      await sleep(period);
      ticks += 1;
      yield ticks;
    }
  })
  .compile();
for await (const ticks of clock.stream(1)) if (ticks === 3) break;
