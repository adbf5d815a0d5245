import type { Handler, RunInfo, StreamReader } from "kumiko";

interface Span {
  readonly info: RunInfo;
  ends: string[];
}

/** What handlers hear of the runs of one process. */
export class Spans {
  readonly #spans = new Map<string, Span>();
  readonly problems: string[] = [];

  handler(kind: "values" | "streams"): Handler {
    const start = (info: RunInfo): void => this.#start(info);
    const end = (timing: string) => (info: RunInfo) => this.#end(info, timing);
    const ends = { onEnd: end("onEnd"), onError: end("onError"), onInterrupt: end("onInterrupt") };
    if (kind === "values") return { onStart: start, ...ends };
    return {
      onStart: start,
      ...ends,
      onStartWithStreamInput: (info: RunInfo, stream: StreamReader<unknown>) => {
        start(info);
        void readAll(stream);
      },
      onEndWithStreamOutput: (info: RunInfo, stream: StreamReader<unknown>) => {
        void readAll(stream).then((isWhole) => {
          if (isWhole) this.#end(info, "onEndWithStreamOutput");
        });
      },
    };
  }

  #start(info: RunInfo): void {
    if (this.#spans.has(info.runId)) this.problems.push(`span ${nameOf(info)} starts twice`);
    for (let parent = info.parentRunId; parent !== undefined; ) {
      const around = this.#spans.get(parent);
      if (around === undefined) break;
      if (around.ends.length > 0 && around.info.parentRunId === undefined) {
        this.problems.push(`span ${nameOf(info)} starts after its run has ended`);
      }
      parent = around.info.parentRunId;
    }
    this.#spans.set(info.runId, { info, ends: [] });
  }

  #end(info: RunInfo, timing: string): void {
    const span = this.#spans.get(info.runId);
    if (span === undefined) this.problems.push(`span ${nameOf(info)} ends without a start`);
    else span.ends.push(timing);
  }

  /** What is wrong, once nothing goes on any more. */
  check(): string[] {
    const counts = [...this.#spans.values()]
      .filter(({ ends }) => ends.length !== 1)
      .map(({ info, ends }) => `span ${nameOf(info)} has ${ends.length === 0 ? "no end" : `ends ${ends.join(", ")}`}`);
    return [...this.problems, ...counts];
  }
}

const nameOf = ({ name, component, address }: RunInfo): string => `${component} ${name || "(no name)"} at ${address}`;

async function readAll(stream: StreamReader<unknown>): Promise<boolean> {
  try {
    for await (const _ of stream);
    return true;
  } catch {
    return false;
  }
}
