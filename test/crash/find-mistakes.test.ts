import { describe, expect, it } from "vitest";
import type { LogLine } from "./effects-log.js";
import { findMissing, findMistakes } from "./find-mistakes.js";

/** `<life>:<turn> <kind> <task>`, with `do` as the effect and the task as its key. */
function logOf(...lines: string[]): LogLine[] {
  return lines.map((text) => {
    const [, life, turn, kind, task = "", taskKey = task] = /^(\d):(\d) (\w+) ?(\w+)? ?(\w+)?$/.exec(text) ?? [];
    const effect = task === "" ? "" : "do";
    return { life: Number(life), turn: Number(turn), kind: kind as LogLine["kind"], task, effect, taskKey };
  });
}

const killed = new Set([1]);

describe("What a record of effects shows", () => {
  it("is fine when a process is killed before a save has begun", () => {
    const log = logOf("1:0 begin receive", "1:1 end receive", "2:0 begin receive", "2:1 end receive");
    expect(findMistakes(log, killed)).toEqual([]);
  });

  it("is fine when a process is killed during a save", () => {
    const log = logOf("1:0 begin receive", "1:0 end receive", "1:1 put", "2:0 begin receive");
    expect(findMistakes(log, killed)).toEqual([]);
  });

  it("is fine when a save was acknowledged that may have begun before the end of the task", () => {
    const log = logOf("1:0 begin receive", "1:1 end receive", "1:1 put", "1:1 kept", "2:0 begin receive");
    expect(findMistakes(log, killed)).toEqual([]);
  });

  it("is fine when a process that has lost its run begins what another has begun or done, as long as it has not heard", () => {
    const taken = logOf("1:0 put", "1:0 kept", "2:0 put", "2:0 kept", "2:0 begin receive", "2:0 end receive");
    const rest = logOf("2:1 put", "2:1 kept", "2:1 begin stock", "1:0 begin receive", "1:0 put", "1:0 refused");
    expect(findMistakes([...taken, ...rest], new Set([1]))).toEqual([]);
  });

  it("is an effect that was saved and repeated", () => {
    const log = logOf("1:0 begin receive", "1:0 end receive", "1:1 put", "1:1 kept", "2:0 begin receive");
    expect(findMistakes(log, killed)).toEqual([
      "receive.do of process 1 was saved (line 3) and happened again (line 4)",
    ]);
  });

  it("is an effect that was repeated without a kill", () => {
    const log = logOf("1:0 begin receive", "1:0 end receive", "2:0 begin receive");
    expect(findMistakes(log, new Set())).toEqual(["receive.do was repeated, and process 1 ended by itself"]);
  });

  it("is an effect that happened twice in one process", () => {
    const log = logOf("1:0 begin receive", "1:0 end receive", "1:0 begin receive");
    expect(findMistakes(log, killed)).toEqual(["receive.do happened twice in process 1"]);
  });

  it("is a task that began before those in front of it had ended", () => {
    const log = logOf("1:0 begin receive", "1:0 end receive", "1:0 begin stock", "1:0 begin gather");
    expect(findMistakes(log, killed)).toEqual([
      "gather.do began before price.do had ended",
      "gather.do began before stock.do had ended",
      "gather.do began before address.do had ended",
    ]);
  });

  it("is a task that was repeated when those behind it had begun", () => {
    const log = logOf("1:0 begin receive", "1:0 end receive", "1:0 begin stock", "2:0 begin receive");
    expect(findMistakes(log, killed)).toEqual(["receive.do happened again after what follows it had begun"]);
  });

  it("is a task with two keys, and a key with two tasks", () => {
    const log = logOf("1:0 begin receive a", "1:0 end receive a", "1:0 begin stock a", "2:0 begin stock b");
    expect(findMistakes(log, killed)).toEqual(["stock has the key of receive: a", "stock has the keys a and b"]);
  });

  it("is an effect of a process that has lost its run", () => {
    const log = logOf(
      "1:0 put",
      "1:0 kept",
      "1:0 begin receive",
      "1:0 end receive",
      "1:0 put",
      "1:0 refused",
      "1:1 begin stock",
    );
    expect(findMistakes(log, killed)).toEqual(["stock.do began in process 1, which had lost the run"]);
  });

  it("is an effect that is not one of the graph", () => {
    expect(findMistakes(logOf("1:0 begin nothing"), killed)).toEqual(["nothing.do is no effect of the graph"]);
  });

  it("is what was not done", () => {
    const missing = findMissing(logOf("1:0 begin receive", "1:0 end receive", "1:0 begin stock"));
    expect(missing).not.toContain("receive.do was not done");
    expect(missing).toContain("stock.do was not done");
  });
});
