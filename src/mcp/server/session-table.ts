/** The part of a session that the table uses. */
export interface Session {
  readonly principal: string;
  close(): Promise<void>;
}

interface Row<S> {
  readonly session: S;
  usedAt: number;
  /** The number of open requests and streams. */
  open: number;
}

const maxSessions = 1_000;
const idleMs = 30 * 60_000;
const sweepMs = 60_000;

/** Sessions by their ids. Idle sessions end, and their number is limited. */
export class SessionTable<S extends Session> {
  readonly #rows = new Map<string, Row<S>>();
  #timer: ReturnType<typeof setInterval> | undefined;

  get isFull(): boolean {
    return this.#rows.size >= maxSessions;
  }

  get sessions(): S[] {
    return [...this.#rows.values()].map(({ session }) => session);
  }

  add(id: string, session: S): void {
    this.#rows.set(id, { session, usedAt: Date.now(), open: 0 });
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#sweep(), sweepMs);
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  /** The session with this id, if it belongs to the principal. */
  find(id: string, principal: string): S | undefined {
    const row = this.#rows.get(id);
    if (row === undefined || row.session.principal !== principal) return undefined;
    row.usedAt = Date.now();
    return row.session;
  }

  /** Runs `work` and keeps the session in use until the body of its response has been read. */
  async during(id: string, work: () => Promise<Response>): Promise<Response> {
    const end = this.hold(id);
    try {
      return relayBody(await work(), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Keeps the session in use until the returned function is called. */
  hold(id: string): () => void {
    const row = this.#rows.get(id);
    if (row === undefined) return () => undefined;
    row.open += 1;
    return () => {
      row.open -= 1;
      row.usedAt = Date.now();
    };
  }

  delete(id: string): void {
    this.#rows.delete(id);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    const { sessions } = this;
    this.#rows.clear();
    await Promise.allSettled(sessions.map((session) => session.close()));
  }

  async #sweep(): Promise<void> {
    const cutoff = Date.now() - idleMs;
    for (const [id, { usedAt, open, session }] of this.#rows) {
      if (open > 0 || usedAt > cutoff) continue;
      this.#rows.delete(id);
      await session.close().catch(() => undefined);
    }
  }
}

/** Returns the same response, and calls `onEnd` once, when its body has ended, failed or been cancelled. */
function relayBody(response: Response, onEnd: () => void): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  const reader = response.body.getReader();
  let isOver = false;
  const finish = () => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
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
