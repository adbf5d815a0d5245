import { type Handler, KumikoError, pipe, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { type Heard, listener, open, watchersOf } from "./listener.js";

async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** A handler that reads its copy of the output to the end. */
function reader(heard: Heard): Handler {
  return {
    onEndWithStreamOutput: async (_info, stream) => {
      heard.push("copy opened");
      for await (const chunk of stream) heard.push(`copy ${JSON.stringify(chunk)}`);
      heard.push("copy ended");
    },
    onEnd: () => heard.push("onEnd"),
    onError: (_info, error) => heard.push(`onError ${error instanceof Error ? error.message : String(error)}`),
  };
}

async function* failing(): AsyncGenerator<string> {
  yield "to ";
  throw new Error("broken");
}

describe("a streamed output", () => {
  it("is given joined to a handler without stream timings, when the stream has ended", async () => {
    const heard: Heard = [];
    const watch = open("write", watchersOf([listener("a", heard)]));
    watch.start("in");
    const output = watch.outputStream(StreamReader.from(["to ", "be"]));
    expect(await output.next()).toEqual({ done: false, value: "to " });
    expect(heard).toEqual(['a start write "in"']);
    expect(await readAll(output)).toEqual(["be"]);
    expect(heard.slice(1)).toEqual(['a end write "to be" (a:write)']);
    expect(watch.closed).toBe(true);
  });

  it("is ended before its consumer sees the end", async () => {
    const order: string[] = [];
    const watch = open("write", watchersOf([{ onEnd: () => order.push("onEnd") }]));
    watch.start("in");
    await readAll(watch.outputStream(StreamReader.from(["a"]))).then(() => order.push("consumer"));
    expect(order).toEqual(["onEnd", "consumer"]);
  });

  it("joins by the rule of the stream, for handlers and for its consumer", async () => {
    const values: unknown[] = [];
    const watch = open("write", watchersOf([{ onEnd: (_info, value) => values.push(value) }]));
    watch.start("in");
    const output = watch.outputStream(StreamReader.from([{ n: 1 }, { n: 2 }]).withRule("last"));
    expect(await output.concat()).toEqual({ n: 2 });
    expect(values).toEqual([{ n: 2 }]);
  });

  it("is given as the list of its chunks when they cannot be joined", async () => {
    const values: unknown[] = [];
    const watch = open("write", watchersOf([{ onEnd: (_info, value) => values.push(value) }]));
    watch.start("in");
    await readAll(watch.outputStream(StreamReader.from([{ n: 1 }, { n: 2 }])));
    expect(values).toEqual([[{ n: 1 }, { n: 2 }]]);
  });

  it("is shown as the payload of the component: each chunk, and the joined value", async () => {
    const heard: Heard = [];
    const values: unknown[] = [];
    const copies: Promise<unknown>[] = [];
    const joining: Handler = { onEndWithStreamOutput: (_info, stream) => copies.push(stream.concat()) };
    const watch = open("write", watchersOf([reader(heard), joining, { onEnd: (_info, value) => values.push(value) }]));
    watch.start("in");
    const output = watch.outputStream(StreamReader.from(["to ", "be"]), (chunk) => ({ result: chunk }));
    expect(await readAll(output)).toEqual(["to ", "be"]);
    expect(values).toEqual([{ result: "to be" }]);
    expect(await copies[0]).toEqual({ result: "to be" });
    expect(heard).toEqual(["copy opened", 'copy {"result":"to "}', 'copy {"result":"be"}', "copy ended"]);
  });

  it("is not read for handlers: the source is asked for a chunk only when the consumer asks", async () => {
    let pulled = 0;
    async function* count(): AsyncGenerator<number> {
      for (; pulled < 3; ) {
        pulled += 1;
        yield pulled;
      }
    }
    const watch = open("count", watchersOf([reader([]), listener("a", [])]));
    watch.start("in");
    const output = watch.outputStream(StreamReader.from(count()));
    expect(pulled).toBe(0);
    await output.next();
    await new Promise(setImmediate);
    expect(pulled).toBe(1);
  });

  it("hands chunks through unchanged and uncopied", async () => {
    const chunk = { n: 1 };
    const seen: unknown[] = [];
    const watch = open(
      "write",
      watchersOf([{ onEndWithStreamOutput: async (_info, stream) => void seen.push(...(await readAll(stream))) }]),
    );
    watch.start("in");
    const [received] = await readAll(watch.outputStream(StreamReader.from([chunk])));
    await new Promise(setImmediate);
    expect(received).toBe(chunk);
    expect(seen[0]).toBe(chunk);
  });

  it("does nothing more when the run was not started, or has ended", () => {
    const stream = StreamReader.from(["a"]);
    const watch = open("write", watchersOf([listener("a", [])]));
    expect(watch.outputStream(stream)).toBe(stream);
    watch.start("in");
    watch.error(new Error("broken"));
    expect(watch.outputStream(stream)).toBe(stream);
  });
});

describe("a handler's own copy of an output", () => {
  it("comes at the first chunk, holds all chunks, and ends with the stream instead of onEnd", async () => {
    const heard: Heard = [];
    const watch = open("write", watchersOf([reader(heard)]));
    watch.start("in");
    const output = watch.outputStream(StreamReader.from(["to ", "be"]));
    expect(heard).toEqual([]);
    await output.next();
    expect(heard[0]).toBe("copy opened");
    await readAll(output);
    await new Promise(setImmediate);
    expect(heard).toEqual(["copy opened", 'copy "to "', 'copy "be"', "copy ended"]);
  });

  it("is empty when the stream ends without a chunk", async () => {
    const heard: Heard = [];
    const watch = open("write", watchersOf([reader(heard)]));
    watch.start("in");
    await readAll(watch.outputStream(StreamReader.from([])));
    await new Promise(setImmediate);
    expect(heard).toEqual(["copy opened", "copy ended"]);
  });

  it("may be read late, after the run", async () => {
    const copies: StreamReader<unknown>[] = [];
    const watch = open("write", watchersOf([{ onEndWithStreamOutput: (_info, stream) => copies.push(stream) }]));
    watch.start("in");
    await readAll(watch.outputStream(StreamReader.from(["to ", "be"])));
    expect(await copies[0]?.concat()).toBe("to be");
  });

  it("may be left or ignored: the consumer and the other handlers read on", async () => {
    const heard: Heard = [];
    const leaving: Handler = {
      onEndWithStreamOutput: async (_info, stream) => {
        for await (const chunk of stream) {
          heard.push(`leaving after ${String(chunk)}`);
          break;
        }
      },
    };
    const watch = open("write", watchersOf([leaving, { onEndWithStreamOutput: () => {} }, listener("c", heard)]));
    watch.start("in");
    expect(await readAll(watch.outputStream(StreamReader.from(["to ", "be"])))).toEqual(["to ", "be"]);
    expect(heard).toEqual(['c start write "in"', "leaving after to ", 'c end write "to be" (c:write)']);
  });

  it("answers reads that overlap in order, and says that it was cancelled", async () => {
    const copies: StreamReader<unknown>[] = [];
    const { reader: source, writer } = pipe<string>();
    const watch = open("write", watchersOf([{ onEndWithStreamOutput: (_info, stream) => copies.push(stream) }]));
    watch.start("in");
    const output = watch.outputStream(source);
    await writer.write("to ");
    await output.next();
    const [copy] = copies;
    const reads = [1, 2, 3].map(() => copy?.next());
    await writer.write("be");
    await output.next();
    expect(await Promise.all(reads.slice(0, 2))).toEqual([
      { done: false, value: "to " },
      { done: false, value: "be" },
    ]);
    await copy?.cancel("enough");
    await expect(reads[2]).rejects.toMatchObject({ code: "STREAM_CANCELLED", cause: "enough" });
  });

  it("ends every read that waits when the stream ends", async () => {
    const copies: StreamReader<unknown>[] = [];
    const { reader: source, writer } = pipe<string>();
    const watch = open("write", watchersOf([{ onEndWithStreamOutput: (_info, stream) => copies.push(stream) }]));
    watch.start("in");
    const output = watch.outputStream(source);
    await writer.write("a");
    await output.next();
    const reads = [1, 2, 3].map(() => copies[0]?.next());
    writer.close();
    await output.next();
    expect((await Promise.all(reads)).map((result) => result?.done)).toEqual([false, true, true]);
    expect(await copies[0]?.next()).toMatchObject({ done: true });
  });
});

describe("a stream that does not reach its end", () => {
  it("is one onError for every handler when it fails in the middle", async () => {
    const heard: Heard = [];
    const watch = open("write", watchersOf([listener("a", heard), reader(heard)]));
    watch.start("in");
    await expect(readAll(watch.outputStream(StreamReader.from(failing())))).rejects.toThrow("broken");
    await new Promise(setImmediate);
    expect(heard.slice(1)).toEqual(["copy opened", 'copy "to "', "a error write broken (a:write)", "onError broken"]);
  });

  it("fails the copies with the same error, which is then not the handler's own", async () => {
    const reports: unknown[] = [];
    const failures: unknown[] = [];
    const catching: Handler = {
      onEndWithStreamOutput: (_info, stream) => void readAll(stream).catch((error) => failures.push(error)),
    };
    const throwing: Handler = { onEndWithStreamOutput: async (_info, stream) => void (await readAll(stream)) };
    const watch = open(
      "write",
      watchersOf([catching, throwing], (error) => reports.push(error)),
    );
    watch.start("in");
    const caught = await readAll(watch.outputStream(StreamReader.from(failing()))).catch((error: unknown) => error);
    await new Promise(setImmediate);
    expect(failures).toEqual([caught]);
    expect(reports).toEqual([]);
  });

  it("reports what a handler throws itself while it reads its copy", async () => {
    const reports: unknown[] = [];
    const broken: Handler = {
      onEndWithStreamOutput: async (_info, stream) => {
        await readAll(stream);
        throw new Error("handler");
      },
    };
    const watch = open(
      "write",
      watchersOf([broken], (error, timing) => reports.push([timing, error])),
    );
    watch.start("in");
    await readAll(watch.outputStream(StreamReader.from(["a"])));
    await new Promise(setImmediate);
    expect(reports).toEqual([["onEndWithStreamOutput", new Error("handler")]]);
  });

  it("is onError with the reason when it is cancelled", async () => {
    const heard: Heard = [];
    const watch = open("write", watchersOf([listener("a", heard), reader(heard)]));
    watch.start("in");
    const output = watch.outputStream(StreamReader.from(["to ", "be"]));
    await output.next();
    await output.cancel(new Error("no time"));
    expect(heard.slice(1)).toEqual([
      ...["copy opened", "a error write no time (a:write)", "onError no time"],
      'copy "to "',
    ]);
  });

  it("is onError with an AbortError when its loop is left", async () => {
    const errors: unknown[] = [];
    const watch = open("write", watchersOf([{ onError: (_info, error) => errors.push(error) }]));
    watch.start("in");
    for await (const _chunk of watch.outputStream(StreamReader.from(["to ", "be"]))) break;
    expect(errors).toEqual([expect.any(DOMException)]);
    expect(errors).toMatchObject([{ name: "AbortError" }]);
  });

  it("is onError when it is cancelled before it was read", async () => {
    const heard: Heard = [];
    const watch = open("write", watchersOf([listener("a", heard), reader(heard)]));
    watch.start("in");
    await watch.outputStream(StreamReader.from(["a"])).cancel(new Error("unread"));
    expect(heard.slice(1)).toEqual(["a error write unread (a:write)", "onError unread"]);
  });

  it("is onInterrupt when the run stops to wait", async () => {
    const heard: Heard = [];
    async function* asking(): AsyncGenerator<string> {
      yield "to ";
      throw new KumikoError("INTERRUPTED", "waits");
    }
    const watch = open("ask", watchersOf([listener("a", heard)]));
    watch.start("in");
    await expect(readAll(watch.outputStream(StreamReader.from(asking())))).rejects.toThrow("waits");
    expect(heard.slice(1)).toEqual(["a interrupt ask waits (a:ask)"]);
  });

  it("is over for handlers when the run is aborted, whatever the stream still gives", async () => {
    const heard: Heard = [];
    const watch = open("write", watchersOf([listener("a", heard), reader(heard)]));
    watch.start("in");
    const output = watch.outputStream(StreamReader.from(["to ", "be"]));
    await output.next();
    watch.abort(new Error("stop"));
    expect(await readAll(output)).toEqual(["be"]);
    await new Promise(setImmediate);
    expect(heard.slice(1)).toEqual(["copy opened", "a error write stop (a:write)", "onError stop", 'copy "to "']);
  });

  it("opens no copy after an abort", async () => {
    const heard: Heard = [];
    const watch = open("write", watchersOf([reader(heard)]));
    watch.start("in");
    const output = watch.outputStream(StreamReader.from(["a"]));
    watch.abort(new Error("stop"));
    await readAll(output);
    await readAll(watch.outputStream(StreamReader.from([])));
    expect(heard).toEqual(["onError stop"]);
  });
});

describe("a streamed input", () => {
  it("is onStart without a value for a handler without stream timings, and the stream itself is untouched", () => {
    const heard: Heard = [];
    const watch = open("read", watchersOf([listener("a", heard)]));
    const input = StreamReader.from(["a"]);
    expect(watch.inputStream(input)).toBe(input);
    expect(heard).toEqual(["a start read"]);
  });

  it("is a copy of what the run reads for a handler with onStartWithStreamInput, and no onStart", async () => {
    const heard: Heard = [];
    const taking: Handler = {
      onStart: () => heard.push("onStart"),
      onStartWithStreamInput: (_info, stream, parentSpan) => {
        heard.push(`stream start ${String(parentSpan)}`);
        void readAll(stream).then((chunks) => heard.push(JSON.stringify(chunks)));
        return "own span";
      },
      onEnd: (_info, _value, span) => heard.push(`onEnd ${String(span)}`),
    };
    const watchers = watchersOf([taking, listener("b", heard)]);
    const graph = open("graph", watchers);
    graph.start(0);
    const watch = open("read", watchers, graph);
    const input = watch.inputStream(StreamReader.from(["to ", "be"]));
    expect(heard.slice(2)).toEqual(["stream start 1", "b start read (b:graph)"]);
    expect(await input.concat()).toBe("to be");
    await new Promise(setImmediate);
    watch.end("done");
    expect(heard.slice(4)).toEqual(['["to ","be"]', "onEnd own span", 'b end read "done" (b:read)']);
  });

  it("gives the copy the rule by which the chunks join", async () => {
    const joined: Promise<unknown>[] = [];
    const watch = open(
      "read",
      watchersOf([{ onStartWithStreamInput: (_info, stream) => joined.push(stream.concat()) }]),
    );
    await readAll(watch.inputStream(StreamReader.from([1, 2]).withRule("list")));
    expect(await joined[0]).toEqual([1, 2]);
  });

  it.each([
    ["fails", new Error("broken")],
    ["is left by the run", new DOMException("left", "AbortError")],
  ])("fails the copy when it %s, which is not the handler's own error", async (_title, error) => {
    const reports: unknown[] = [];
    const failures: unknown[] = [];
    const taking: Handler = {
      onStartWithStreamInput: async (_info, stream) => {
        try {
          await readAll(stream);
        } catch (failure) {
          failures.push(failure);
          throw failure;
        }
      },
    };
    const watch = open(
      "read",
      watchersOf([taking], (report) => reports.push(report)),
    );
    const { reader: source, writer } = pipe<string>();
    const input = watch.inputStream(source);
    await writer.write("a");
    await input.next();
    if (error instanceof DOMException) await input.cancel(error);
    else {
      writer.fail(error);
      await expect(input.next()).rejects.toBe(error);
    }
    await new Promise(setImmediate);
    expect(failures).toEqual([error]);
    expect(reports).toEqual([]);
  });

  it("fails the copy when the run ends without having read everything", async () => {
    const failures: unknown[] = [];
    const watch = open(
      "read",
      watchersOf([{ onStartWithStreamInput: (_info, stream) => void readAll(stream).catch((e) => failures.push(e)) }]),
    );
    watch.inputStream(StreamReader.from(["a"]));
    watch.end("done");
    await new Promise(setImmediate);
    expect(failures).toMatchObject([{ name: "AbortError" }]);
  });

  it("reports what the stream start throws", () => {
    const reports: unknown[] = [];
    const failure = new Error("handler");
    const watch = open(
      "read",
      watchersOf(
        [
          {
            onStartWithStreamInput: () => {
              throw failure;
            },
          },
        ],
        (error, timing) => reports.push([timing, error]),
      ),
    );
    watch.inputStream(StreamReader.from(["a"]));
    expect(reports).toEqual([["onStartWithStreamInput", failure]]);
  });
});
