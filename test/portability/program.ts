// For runtimes that start a program. The agent is in agent.ts.
import { main } from "./agent.js";

await main();
