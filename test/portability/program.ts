// For runtimes that start a program. The agent is in agent.ts.
import { main } from "./agent.js";

console.log(JSON.stringify(await main()));
