export interface RelaySettings {
  /** Ends the body when it is aborted, as if its reader had cancelled it. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, when the first chunk is requested. */
  readonly onStart?: (() => void) | undefined;
  /** Called once, when the body has ended, failed or been cancelled. */
  readonly onEnd?: (() => void) | undefined;
}

/** Returns the same response, and reports the start and end of its body. */
export function relayBody(response: Response, { signal, onStart, onEnd }: RelaySettings): Response {
  if (response.body === null) {
    onEnd?.();
    return response;
  }
  const reader = response.body.getReader();
  let isStarted = false;
  let isOver = false;
  const finish = () => {
    if (!isOver) onEnd?.();
    isOver = true;
    signal?.removeEventListener("abort", stop);
  };
  let stop = (): void => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop = () => {
          if (isOver) return;
          finish();
          controller.close();
          reader.cancel(signal?.reason).catch(() => undefined);
        };
        if (signal?.aborted) stop();
        else signal?.addEventListener("abort", stop);
      },
      async pull(controller) {
        if (!isStarted) onStart?.();
        isStarted = true;
        try {
          const { done, value } = await reader.read();
          if (isOver) return;
          if (!done) return controller.enqueue(value);
          finish();
          controller.close();
        } catch (error) {
          if (isOver) return;
          finish();
          controller.error(error);
        }
      },
      async cancel(reason) {
        finish();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
