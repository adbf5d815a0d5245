import type { StreamReader } from "../../schema/stream/reader.js";

/**
 * A response that streams events as server-sent events, each with one JSON object, and ends with `[DONE]`. If the client
 * disconnects, the run is cancelled.
 */
export function eventStream(events: StreamReader<object>): Response {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const next = await nextText(iterator);
        controller.enqueue(encoder.encode(`data: ${next.text}\n\n`));
        if (next.isLast) controller.close();
      },
      async cancel(reason: unknown) {
        await events.cancel(reason ?? new DOMException("The client disconnected.", "AbortError"));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" };
  return new Response(body, { headers });
}

/** The next event as text. A failing stream has already sent its error as an event. */
async function nextText(iterator: AsyncIterator<object>): Promise<{ readonly text: string; readonly isLast: boolean }> {
  try {
    const { done, value } = await iterator.next();
    return done === true ? { text: "[DONE]", isLast: true } : { text: JSON.stringify(value), isLast: false };
  } catch {
    return { text: "[DONE]", isLast: true };
  }
}
