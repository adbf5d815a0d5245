// The server: everything that the page asks for.
import { serveStatic } from "@hono/node-server/serve-static";
import { type Context, Hono } from "hono";
import type { CheckpointStore } from "kumiko";
import { type Agent, type Threads, threads } from "kumiko/agents";
import { errorResponse, eventLog, type ResponseError, readUiRequest, uiMessageStream, uiMessages } from "kumiko/ui";

export interface ChatServerOptions {
  readonly agent: Agent;
  /** The store of the agent. */
  readonly store: CheckpointStore;
  /** The folder with the built page. */
  readonly page: string;
  /** Who asks: a real one reads its session here, and throws if there is none. @default everybody is the same guest */
  readonly userOf?: (c: Context) => string | Promise<string>;
  /** Where errors are told: clients get none of their text. @default console.error */
  readonly report?: (error: ResponseError) => void;
}

export function chatServer(options: ChatServerOptions): Hono {
  const { agent, store, page, userOf = () => "guest", report = console.error } = options;
  const log = eventLog(store);
  const threadsOf = async (c: Context): Promise<Threads> => threads(store, { userId: await userOf(c) });
  const onError = (error: ResponseError): string => {
    report(error);
    return "Something went wrong. Please try again.";
  };
  const app = new Hono();

  // a prompt, an edited one, one that is asked again, or answers
  app.post("/chat", async (c) => {
    const { prompt, answers, ...turn } = readUiRequest(await c.req.json());
    const userId = await userOf(c);
    const run = answers
      ? agent.resumeStream(turn, answers, { userId })
      : agent.stream(prompt, { ...turn, userId, onWaiting: "close", onBusy: "wait" });
    return uiMessageStream(log.record(turn.threadId, run), { onError });
  });

  // the page was opened: the messages so far …
  app.get("/chat/:id", async (c) => c.json(await uiMessages(await threadsOf(c), c.req.param("id"), { onError })));

  // … and the answer that is being written
  app.get("/chat/:id/stream", async (c) => {
    const id = c.req.param("id");
    const known = await (await threadsOf(c)).info(id);
    return known === undefined ? c.body(null, 204) : uiMessageStream(log.replay(id), { onError });
  });

  // a recorded run goes on without its page, so it is stopped here
  app.delete("/chat/:id/stream", async (c) => {
    await (await threadsOf(c)).stop(c.req.param("id"));
    return c.body(null, 204);
  });

  app.onError((error) => errorResponse(error, { onError }));
  app.get("*", serveStatic({ root: page }));
  return app;
}
