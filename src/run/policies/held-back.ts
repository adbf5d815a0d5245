import { joinChunks } from "../../schema/concat/concat-chunks.js";
import { ArraySource } from "../../schema/stream/array-source.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { Body } from "../body.js";
import type { Task } from "../task.js";

/** Gives a stream once it is whole and can be joined: until then its node may fail. */
export async function heldBack(body: Body, input: unknown, task: Task): Promise<unknown> {
  const output = await body(input, task);
  if (!(output instanceof StreamReader)) return output;
  const { joining } = output;
  const source = output.takeSource();
  const chunks: unknown[] = source instanceof ArraySource ? [...source.rest()] : [];
  if (!(source instanceof ArraySource)) {
    for await (const chunk of new StreamReader<unknown>(source, joining)) chunks.push(chunk);
    task.scope.throwIfAborted();
  }
  if (chunks.length !== 1) joinChunks(chunks, joining);
  task.isStreaming = false;
  return new StreamReader<unknown>(new ArraySource(chunks), joining);
}
