import { genkit, z } from "genkit";
import { disableGenkitOTelInitialization } from "genkit/tracing";
import { type Call, type Contender, type Run, type Step, weather } from "../contender.js";

disableGenkitOTelInitialization();
const ai = genkit({});
const names = { last: 0 };

/** Flows are written in plain code; what is to be seen as a step is wrapped into `ai.run`. */
export const genkitFlows: Contender = {
  name: "Genkit",
  chain: (steps) =>
    flow(async (input) => {
      let value = input;
      for (const [n, step] of steps.entries()) value = await call(`n${n}`, step, value);
      return value;
    }),
  fanOut: (parts) =>
    flow(async (input) => {
      const results = await Promise.all(parts.map((part, n) => call(`part${n}`, part, input)));
      return results.reduce((total, value) => total + value, 0);
    }),
  loop: (step, last) =>
    flow(async (input) => {
      let value = input;
      while (value < last) value = await call("step", step, value);
      return value;
    }),
  branches: (odd, even, count) =>
    flow(async (input) => {
      let value = input;
      for (let n = 0; n < count; n++) {
        value = value % 2 === 1 ? await call(`odd${n}`, odd, value) : await call(`even${n}`, even, value);
      }
      return value;
    }),
  tools,
};

function flow(run: Run): Run {
  return ai.defineFlow({ name: `flow${++names.last}`, inputSchema: z.number(), outputSchema: z.number() }, run);
}

const call = (name: string, step: Step, value: number): Promise<number> =>
  ai.run(name, value, async (input) => step(input));

/** Arguments come as text; the model plugins of Genkit parse it. */
function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const inputSchema = z.object({ city: z.string(), days: z.number().int().optional() });
  const outputSchema = z.object({ celsius: z.number() });
  const { description, execute } = weather;
  const name = `${weather.name}${++names.last}`;
  const tool = ai.defineTool({ name, description, inputSchema, outputSchema }, ({ city }) => execute({ city }));
  return () => Promise.all(calls.map(({ arguments: text }) => tool(JSON.parse(text))));
}
