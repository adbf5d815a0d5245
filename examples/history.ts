// Earlier saves of a run: list them, inspect them, and continue from one in another way. Run it with: npx tsx
// examples/history.ts
import { Chain, isInterrupt, memoryStore } from "kumiko";

const app = new Chain<string>()
  .append((topic) => `a poem about ${topic}`, { key: "write" })
  .append(async (text, ctx) => `${text}, ${await ctx.ask<string>("ending", `How does "${text}" end?`)}`, {
    key: "finish",
  })
  .compile({ store: memoryStore(), durability: "step", history: true });

/** Answers every question. */
async function answer(id: string, run: Promise<string>, text: string): Promise<string> {
  try {
    return await run;
  } catch (error) {
    if (!isInterrupt(error)) throw error;
    return app.resume(id, { [error.interrupts[0].id]: text });
  }
}

console.log(await answer("poem", app.invoke("wood", { checkpointId: "poem" }), "in rain"));
for await (const { id, cause, ran, next } of app.history("poem")) console.log(id, cause, { ran, next });

const copy = await app.fork("poem", { entry: "2", outputs: { write: "a song about wood" } });
console.log(await answer(copy, app.resume(copy), "in snow"));
console.log((await app.stateAt("poem")).output());
