// A chat is a Durable Object: it has a database of its own, and there is one of it in the world. npx wrangler deploy
import { createOpenAI } from "@ai-sdk/openai";
import { createAssistant } from "../agent.js";
import { chatApp } from "../chat-app.js";
import { objectStore, type SqlStorage } from "./object-store.js";

interface Env {
  readonly CHAT: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
  readonly OPENAI_API_KEY: string;
  readonly OPENAI_BASE_URL: string;
}

export class Chat {
  readonly #app: ReturnType<typeof chatApp>;

  constructor({ storage }: { readonly storage: { readonly sql: SqlStorage } }, env: Env) {
    const store = objectStore(storage.sql);
    const openai = createOpenAI({ apiKey: env.OPENAI_API_KEY, baseURL: env.OPENAI_BASE_URL });
    this.#app = chatApp({ agent: createAssistant(store, openai("gpt-5")), store, userOf: () => "guest" });
  }

  fetch(request: Request): Response | Promise<Response> {
    return this.#app.fetch(request);
  }
}

export default {
  async fetch(request: Request, { CHAT }: Env): Promise<Response> {
    const id = await chatIdOf(request);
    return id === undefined ? new Response(null, { status: 404 }) : CHAT.get(CHAT.idFromName(id)).fetch(request);
  },
};

/** `POST /chat` has the id in its body, the other routes in their path. */
async function chatIdOf(request: Request): Promise<string | undefined> {
  const [, route, id] = new URL(request.url).pathname.split("/");
  if (route !== "chat") return undefined;
  if (request.method !== "POST") return id && decodeURIComponent(id);
  const body: unknown = await request.clone().json();
  return typeof body === "object" && body !== null && "id" in body ? String(body.id) : undefined;
}
