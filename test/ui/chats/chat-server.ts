import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { CheckpointStore } from "kumiko";
import { type Agent, type AgentEvent, threads } from "kumiko/agents";
import { type EventLog, errorResponse, readUiRequest, uiMessageStream, uiMessages } from "kumiko/ui";

/** What a chat is served from. */
export interface Backend {
  readonly store: CheckpointStore;
  readonly agent: Agent;
  readonly log: EventLog;
  /** Lets the events of a run through, each when it may. */
  readonly gate?: ((events: AsyncIterable<AgentEvent>) => AsyncIterable<AgentEvent>) | undefined;
}

export interface ServerOptions {
  /** The backend of a name, which is the first part of each path. */
  readonly backend: (name: string) => Backend;
  /** Sees each response before it leaves. */
  readonly onResponse?: ((response: Response, request: Request) => Response | Promise<Response>) | undefined;
}

/** The options that say who asks: one place to add a user. */
function callerOf(_request: Request): object {
  return {};
}

/** A chat as the guides build it: requests, the messages of a page that is loaded, and what it missed. */
export function chatApp({ backend, onResponse = (response) => response }: ServerOptions): Hono {
  const app = new Hono();
  const route = (work: (request: Request, backend: Backend, id: string) => Promise<Response>) => {
    return async ({ req }: { req: { raw: Request; param(name: string): string | undefined } }): Promise<Response> => {
      const { raw } = req;
      let response: Response;
      try {
        response = await work(raw, backend(req.param("name") ?? ""), req.param("id") ?? "");
      } catch (error) {
        response = errorResponse(error);
      }
      return onResponse(response, raw);
    };
  };
  app.post(
    "/:name/chat",
    route(async (request, { agent, log, gate = (events) => events }) => {
      const { prompt, answers, ...turn } = readUiRequest(await request.json());
      const caller = callerOf(request);
      const run = answers ? agent.resumeStream(turn, answers, caller) : agent.stream(prompt, { ...turn, ...caller });
      return uiMessageStream(log.record(turn.threadId, gate(run)));
    }),
  );
  app.get(
    "/:name/chat/:id",
    route(async (_request, { store }, id) => Response.json(await uiMessages(threads(store), id))),
  );
  app.get(
    "/:name/chat/:id/stream",
    route(async (_request, { log }, id) => {
      return (await log.isOpen(id)) ? uiMessageStream(log.replay(id)) : new Response(null, { status: 204 });
    }),
  );
  // the whole recording, also of a run that is over
  app.get(
    "/:name/whole/:id/stream",
    route(async (_request, { log }, id) => uiMessageStream(log.replay(id))),
  );
  return app;
}

export interface Running {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves it on loopback. */
export async function listen(app: Hono): Promise<Running> {
  const server: Server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
