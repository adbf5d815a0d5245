// For workerd, which calls a worker. The agent is in agent.ts.
import { main } from "./agent.js";

export default { test: async (): Promise<void> => console.log(JSON.stringify(await main())) };
