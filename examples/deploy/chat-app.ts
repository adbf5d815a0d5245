// The routes of a chat for useChat, with Hono: what docker/, workers/ and lambda/ serve. docs/guides/chat-page.md has the page.
import { Hono } from "hono";
import type { CheckpointStore } from "kumiko";
import { type Agent, threads } from "kumiko/agents";
import {
  type EventLog,
  errorResponse,
  eventLog,
  type ResponseError,
  readUiRequest,
  uiMessageStream,
  uiMessages,
} from "kumiko/ui";

export interface ChatAppOptions {
  readonly agent: Agent;
  /** The store of the agent. */
  readonly store: CheckpointStore;
  /** Who asks: read your session here, and throw if there is none. A chat is there only for the user who began it. */
  readonly userOf: (request: Request) => string | Promise<string>;
  /** Is told of each answer that is being written. It goes on without its page, so the process has to stay for it. */
  readonly waitUntil?: (answer: Promise<unknown>) => void;
  /** How long a turn may take where the platform has a limit. It keeps what was written; the same message goes on with it. */
  readonly timeoutMs?: number;
  /** Keeps answers for pages that come back. */
  readonly log?: EventLog;
}

export function chatApp(options: ChatAppOptions): Hono {
  const { agent, store, userOf, waitUntil, timeoutMs, log = eventLog(store) } = options;
  const app = new Hono();
  const threadsOf = async (request: Request) => threads(store, { userId: await userOf(request) });
  const onError = (error: ResponseError): string => {
    console.error(error); // clients learn nothing of it
    return "Something failed.";
  };

  app.post("/chat", async (c) => {
    const { prompt, answers, ...turn } = readUiRequest(await c.req.json());
    const given = { userId: await userOf(c.req.raw), timeoutMs };
    const run = answers
      ? agent.resumeStream(turn, answers, given)
      : agent.stream(prompt, { ...turn, ...given, onWaiting: "close", onBusy: "wait" });
    const [page, rest] = log.record(turn.threadId, run).copy(2);
    waitUntil?.(endOf(rest));
    return uiMessageStream(page, { onError });
  });

  app.get("/chat/:id", async (c) => {
    return c.json(await uiMessages(await threadsOf(c.req.raw), c.req.param("id"), { onError }));
  });

  // for a page that was reloaded, or has lost its connection
  app.get("/chat/:id/stream", async (c) => {
    const id = c.req.param("id");
    const known = await (await threadsOf(c.req.raw)).info(id);
    return known === undefined ? c.body(null, 204) : uiMessageStream(log.replay(id), { onError });
  });

  app.delete("/chat/:id/stream", async (c) => {
    await (await threadsOf(c.req.raw)).stop(c.req.param("id"));
    return c.body(null, 204);
  });

  app.onError((error) => errorResponse(error, { onError }));
  return app;
}

/** Resolves when the last event is recorded. */
async function endOf(events: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of events);
  } catch {} // the page is told
}
