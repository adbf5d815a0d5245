import type { StreamReader } from "../../schema/stream/reader.js";

/** Events as a response: one JSON object per server-sent event, and the last one is `[DONE]`. A client that leaves stops the run. */
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
        await events.cancel(reason ?? new DOMException("The client has left.", "AbortError"));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" };
  return new Response(body, { headers });
}

/** An error was the last event of the stream already. */
async function nextText(iterator: AsyncIterator<object>): Promise<{ readonly text: string; readonly isLast: boolean }> {
  try {
    const { done, value } = await iterator.next();
    return done === true ? { text: "[DONE]", isLast: true } : { text: JSON.stringify(value), isLast: false };
  } catch {
    return { text: "[DONE]", isLast: true };
  }
}
