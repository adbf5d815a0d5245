import type { NodeContext } from "../components/context.js";
import { isStream } from "../is.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { concatMessages } from "../schema/message/concat.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import { countUsage } from "./agent-state.js";
import { ChunkEvents } from "./chunk-events.js";
import { invalidOption } from "./errors.js";
import { middlewaresWith, runHook } from "./hooks.js";
import { type ModelChain, modelChain } from "./model-chain.js";
import { ModelReply, type ModelRequest } from "./model-request.js";
import type { Turn } from "./turn.js";

/** Asks the model for one answer, with the middlewares around it, and tells of it as it comes. */
export async function callModel(
  turn: Turn,
  chain: ModelChain,
  request: ModelRequest,
  ctx: NodeContext,
): Promise<AgenticMessage> {
  const wrapped = wrappedCall(turn, chain, ctx);
  const given = await wrapped(request);
  if (!turn.streams) return wholeOf(given);
  return toldOf(turn, isAgenticMessage(given) ? StreamReader.from([given]) : StreamReader.from(given));
}

type Given = ModelReply | StreamSource<AgenticMessage> | AgenticMessage;
type Call = (request: ModelRequest) => Given | Promise<Given>;

function wrappedCall(turn: Turn, chain: ModelChain, ctx: NodeContext): Call {
  let call: Call = (request) => ask(turn, chain, request, ctx);
  for (const middleware of middlewaresWith(turn, "wrapModelCall").toReversed()) {
    const inner = call;
    call = (request) =>
      runHook(turn, middleware, "wrapModelCall", ctx, async (run) => {
        const next = (changed: ModelRequest = request): ModelReply => replyOf(turn, () => inner(changed));
        const given: unknown = await middleware.wrapModelCall?.(request, next, run);
        if (given instanceof ModelReply || isAgenticMessage(given) || isStream(given)) return given as Given;
        throw invalidOption("wrapModelCall must return what next() returned, a stream, or a message");
      });
  }
  return call;
}

/** Of what is inside, which may take its time to say what it gives. */
function replyOf(turn: Turn, open: () => Given | Promise<Given>): ModelReply {
  async function* chunks(): AsyncGenerator<AgenticMessage, void> {
    const given = await open();
    if (isAgenticMessage(given)) yield given;
    else yield* StreamReader.from(given);
  }
  return new ModelReply(chunks, async () => (turn.streams ? wholeOf(chunks()) : wholeOf(await open())));
}

async function wholeOf(given: Given): Promise<AgenticMessage> {
  if (isAgenticMessage(given)) return given;
  if (given instanceof ModelReply) return given.message();
  const chunks: AgenticMessage[] = [];
  for await (const chunk of StreamReader.from(given)) chunks.push(chunk);
  return concatMessages(chunks);
}

/** The model itself. A middleware may have chosen another one. */
function ask(turn: Turn, chain: ModelChain, request: ModelRequest, ctx: NodeContext): ModelReply {
  const asked = request.model === chain.model ? chain : modelChain(request.model, turn.parts, "wrapModelCall");
  const counted = (message: AgenticMessage): AgenticMessage => {
    turn.answers += 1;
    if (turn.answers <= turn.state.counted) return message;
    turn.state.counted = turn.answers;
    countUsage(turn.state, modelNameOf(message, asked), message.responseMeta?.tokenUsage);
    return message;
  };
  async function* chunks(): AsyncGenerator<AgenticMessage, void> {
    const seen: AgenticMessage[] = [];
    for await (const chunk of StreamReader.from(asked.stream(request, ctx))) {
      seen.push(chunk);
      yield chunk;
    }
    if (seen.length > 0) counted(concatMessages(seen));
  }
  return new ModelReply(chunks, async () => {
    return turn.streams ? wholeOf(chunks()) : counted(await asked.generate(request, ctx));
  });
}

/** `provider/model`, as far as it is known. */
export function modelNameOf({ responseMeta }: AgenticMessage, { model }: ModelChain): string {
  return responseMeta?.model ?? model.type ?? "unknown";
}

/** Reads an answer, tells of each chunk, and waits for readers. */
async function toldOf(turn: Turn, chunks: AsyncIterable<AgenticMessage>): Promise<AgenticMessage> {
  const events = new ChunkEvents((event) => turn.emit(event));
  const seen: AgenticMessage[] = [];
  turn.delivered = "";
  for await (const chunk of chunks) {
    if (chunk.restart === true) {
      events.restart();
      turn.emit({ type: "restart", reason: turn.restartReason ?? "retry" });
    }
    seen.push(chunk);
    const wait = events.add(chunk);
    turn.delivered = events.text;
    if (wait !== undefined) await wait;
  }
  return concatMessages(seen);
}
