import { errorEvent } from "../../agents/agent-event.js";

/**
 * A response that streams chunks as server-sent events, each with one JSON object, and ends with `[DONE]`. If the client
 * disconnects, the run is cancelled.
 */
export function chunkResponse(chunks: ReadableStream<object>): Response {
  const reader = chunks.getReader();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const text = await nextText(reader);
        controller.enqueue(encoder.encode(`data: ${text ?? "[DONE]"}\n\n`));
        if (text === undefined) controller.close();
      },
      async cancel(reason: unknown) {
        await reader.cancel(reason ?? new DOMException("The client disconnected.", "AbortError"));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" };
  return new Response(body, { headers });
}

/** The next chunk as text; `undefined` at the end. A failing stream has already sent its error as a chunk. */
async function nextText(reader: ReadableStreamDefaultReader<object>): Promise<string | undefined> {
  try {
    const { done, value } = await reader.read();
    return done ? undefined : JSON.stringify(value, plainError);
  } catch {
    return undefined;
  }
}

/** An error has no own properties that JSON would keep. */
function plainError(_name: string, value: unknown): unknown {
  return value instanceof Error ? errorEvent(value) : value;
}
