// Schemas for the input and output of a graph: they provide the types, and values are validated at both ends.
// expect: { reply: 'to ada@example.com: 3 seats', seats: 3 }
// expect: VALIDATION
import { END, Graph, KumikoError, START } from "kumiko";
import { z } from "zod";

const booking = z.object({ email: z.email().toLowerCase(), seats: z.coerce.number().int().min(1).max(8) });
const answer = z.object({ reply: z.string(), seats: z.number() });

const app = new Graph({ input: booking, output: answer })
  .addNode("reply", ({ email, seats }: z.output<typeof booking>) => ({ reply: `to ${email}: ${seats} seats`, seats }))
  .addEdge(START, "reply")
  .addEdge("reply", END)
  .compile({ name: "booking" });

console.log(await app.invoke({ email: "ADA@example.com", seats: "3" }));

try {
  await app.invoke({ email: "ada", seats: 12 });
} catch (error) {
  if (!KumikoError.is(error)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
