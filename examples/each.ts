// One node for each item of an array: at most two at a time, in order; one item asks a person, and only that item runs
// again.
// expect: [ 'oslo: 4', 'rome: 4', 'new york: 8' ]
// expect: question about item 1: Send "reminder" to Ada?
// expect: [ 'invoice sent', 'reminder sent', 'thanks sent' ]
// expect: sent 3 times
// expect: [ 1, -1, 3 ]
// expect: Item 1 of node "half" is odd
import { Chain, each, isInterrupt, type KumikoError, memoryStore, sleep } from "kumiko";

const lengths = new Chain<string[]>()
  .append(each((city) => `${city}: ${city.length}`, { concurrency: 2 }))
  .append(sleep(5))
  .compile();
console.log(await lengths.invoke(["oslo", "rome", "new york"]));

let sent = 0;
const letters = new Chain<string[]>()
  .append(
    each(async (letter, ctx) => {
      if (letter === "reminder") await ctx.ask("send", `Send "${letter}" to Ada?`);
      sent += 1;
      return `${letter} sent`;
    }),
  )
  .compile({ store: memoryStore() });
const list = ["invoice", "reminder", "thanks"];
try {
  await letters.invoke(list, { checkpointId: "letters" });
} catch (error) {
  if (!isInterrupt(error)) throw error;
  const [{ id, info, address }] = error.interrupts;
  console.log(`question about item ${address.at(-1)}: ${info}`);
  console.log(await letters.resume("letters", { [id]: true }));
}
console.log(`sent ${sent} times`);

const half = (count: number): number => {
  if (count % 2 !== 0) throw new Error("is odd");
  return count / 2;
};
const halves = new Chain<number[]>().append(each(half, { onItemError: () => -1 }), { key: "half" }).compile();
console.log(await halves.invoke([2, 5, 6]));
await new Chain<number[]>()
  .append(each(half), { key: "half" })
  .compile()
  .invoke([2, 5])
  .catch((error: KumikoError & { index: number }) =>
    console.log(`Item ${error.index} of node "${error.nodePath}" ${(error.cause as Error).message}`),
  );
