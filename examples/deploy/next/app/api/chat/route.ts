// app/api/chat/route.ts of a Next.js project: npm install kumiko zod pg @ai-sdk/openai
import { openai } from "@ai-sdk/openai";
import type { CheckpointStore } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { postgresStore } from "kumiko/postgres";
import { errorResponse, readUiRequest, uiMessageStream, uiMessages } from "kumiko/ui";

export const runtime = "nodejs";
/** Seconds after which the platform ends the function. */
export const maxDuration = 60;

// in development this module is loaded again after each change, and the connections are kept
const kept = globalThis as { chatStore?: CheckpointStore };
kept.chatStore ??= postgresStore({ connectionString: process.env.DATABASE_URL ?? "postgres://localhost/postgres" });
const store = kept.chatStore;
const agent = createAgent({ name: "assistant", model: openai("gpt-5"), store });

/** Who asks: read your session here, and throw if there is none. */
const userOf = async (_request: Request): Promise<string> => "guest";

export async function POST(request: Request): Promise<Response> {
  try {
    const { prompt, answers, ...turn } = readUiRequest(await request.json());
    const options = { userId: await userOf(request), timeoutMs: (maxDuration - 5) * 1_000 };
    return await uiMessageStream(
      answers
        ? agent.resumeStream(turn, answers, options)
        : agent.stream(prompt, { ...turn, ...options, onWaiting: "close", onBusy: "wait" }),
    );
  } catch (error) {
    return errorResponse(error);
  }
}

/** `GET /api/chat?id=…`: the messages of a chat, for a page that is opened. */
export async function GET(request: Request): Promise<Response> {
  const id = new URL(request.url).searchParams.get("id") ?? "";
  return Response.json(await uiMessages(threads(store, { userId: await userOf(request) }), id));
}
