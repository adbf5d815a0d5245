// A chat with an agent: `npm run chat`, then open http://127.0.0.1:3000.
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { sqliteStore } from "kumiko/sqlite";
import { buildPage } from "./build-page.js";
import { createDesk } from "./desk.js";
import { scriptedDesk } from "./scripted-desk.js";
import { chatServer } from "./server.js";

const output = process.env.CHAT_FOLDER ?? join(import.meta.dirname, ".out"); // the built page, and the chats
const port = Number(process.env.PORT ?? 3000);

await buildPage(join(output, "page"));
const store = sqliteStore(join(output, "chat.db"));
// rules, so that no key is needed; with a key, a model such as toModel(openai("gpt-5")) takes their place
const agent = createDesk(scriptedDesk({ wordsPerSecond: Number(process.env.WORDS_PER_SECOND ?? 20) }), store);
const { fetch } = chatServer({ agent, store, page: join(output, "page") });

serve({ fetch, port, hostname: "127.0.0.1" }, ({ port }) => console.log(`The chat is at http://127.0.0.1:${port}`));
