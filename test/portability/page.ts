// For a browser: the page sends what came of it to the server that it came from. The agent is in agent.ts.
import { main } from "./agent.js";

const outcome = await main().catch((error: unknown) => ({ failed: String(error) }));
await fetch("/outcome", { method: "POST", body: JSON.stringify(outcome) });
