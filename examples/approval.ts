// A run asks a person and stops. Another process can resume it, even days later; nothing runs twice.
// expect: reserves 3 × oak chair
// expect: Pay 240 € to Oak & Sons for 3 × oak chair?
// expect: npx tsx examples/approval.ts order-
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { END, Graph, isInterrupt, KumikoError, START } from "kumiko";
import { sqliteStore } from "kumiko/sqlite";
import { z } from "zod";

const usage = `npx tsx examples/approval.ts                  places an order, which stops and asks
npx tsx examples/approval.ts <order>          shows the open question again
npx tsx examples/approval.ts <order> yes      answers, and the order continues (or: no)
  --file <path>   where orders are saved (default: the folder for temporary files)`;

interface Order {
  readonly what: string;
  readonly from: string;
  readonly euros: number;
}

const purchase = new Graph<Order, string>()
  .addNode("reserve", (order: Order) => {
    console.log(`reserves ${order.what}`);
    return order;
  })
  .addNode("approve", async (order: Order, ctx) => {
    const question = `Pay ${order.euros} € to ${order.from} for ${order.what}?`;
    const { approved } = await ctx.ask("approval", { question }, z.object({ approved: z.boolean() })); // stops here
    return { ...order, approved };
  })
  .addNode("pay", (order: Order, ctx) => {
    // Pass the key to a payment service that pays once per key: if this node runs again after a crash, the key is the
    // same.
    console.log(`pays ${order.euros} € to ${order.from}, with the key ${ctx.taskKey}`);
    return `${order.what}: bought`;
  })
  .addNode("release", (order: Order) => {
    console.log(`releases ${order.what}`);
    return `${order.what}: not bought`;
  })
  .addEdge(START, "reserve")
  .addEdge("reserve", "approve")
  .addBranch("approve", ["pay", "release"], ({ approved }) => (approved ? "pay" : "release"))
  .addEdge("pay", END)
  .addEdge("release", END);

const { order = `order-${randomUUID().slice(0, 8)}`, answer, file, isNew } = readCommand();
const store = sqliteStore(file ?? join(tmpdir(), "kumiko-approval.db"));
const app = purchase.compile({ name: "purchase", store });
try {
  console.log(await run());
} catch (error) {
  if (isInterrupt(error)) {
    for (const { info } of error.interrupts) console.log((info as { question: string }).question);
    const command = ["npx tsx examples/approval.ts", order, "yes", ...(file === undefined ? [] : ["--file", file])];
    console.log(`This process ends here. Answer yes or no in another one:\n${command.join(" ")}`);
  } else if (KumikoError.is(error)) {
    console.error(error.message); // already answered, never placed, in progress elsewhere …
    process.exitCode = 1;
  } else throw error;
} finally {
  await store.close();
}

function run(): Promise<string> {
  if (isNew) return app.invoke({ what: "3 × oak chair", from: "Oak & Sons", euros: 240 }, { checkpointId: order });
  if (answer === undefined) return app.resume(order); // stops again, at the same question
  return app.resume(order, { byAddress: { "runnable:purchase;node:approve": { approved: answer === "yes" } } });
}

function readCommand() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { file: { type: "string" } } });
    const [order, answer, ...more] = positionals;
    if (more.length === 0 && [undefined, "yes", "no"].includes(answer)) {
      return { order, answer, file: values.file, isNew: order === undefined };
    }
  } catch {} // an unknown option
  console.error(usage);
  process.exit(1);
}
