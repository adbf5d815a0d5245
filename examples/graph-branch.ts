// A graph with a branch that chooses the next node at run time, and a picture of it.
// expect: refund of 40 (asked for by Ada)
// expect: passed on to a person: "Where is my parcel?"
// expect: flowchart
import { END, Graph, START } from "kumiko";

interface Mail {
  from: string;
  text: string;
}

const graph = new Graph<Mail, string>()
  .addNode("read", (mail: Mail) => ({ ...mail, amount: Number(/refund (\d+)/.exec(mail.text)?.[1] ?? 0) }))
  .addNode(
    "refund",
    ({ from, amount }: { from: string; amount: number }) => `refund of ${amount} (asked for by ${from})`,
  )
  .addNode("escalate", ({ text }: { text: string }) => `passed on to a person: "${text}"`)
  .addEdge(START, "read")
  .addBranch("read", ["refund", "escalate"], ({ amount }) => (amount > 0 ? "refund" : "escalate"))
  .addEdge("refund", END)
  .addEdge("escalate", END);

const inbox = graph.compile({ name: "inbox" });
console.log(await inbox.invoke({ from: "Ada", text: "Please refund 40" }));
console.log(await inbox.invoke({ from: "Alan", text: "Where is my parcel?" }));
console.log(inbox.toMermaid());
