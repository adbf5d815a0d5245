import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { toolResultsOf } from "../../schema/message/read-message.js";

/** An assistant message with the results of its calls, or a message that stands alone. */
export type Round = readonly AgenticMessage[];

/** The messages from one of the user up to the next one. */
export interface TalkTurn {
  readonly prompt: readonly AgenticMessage[];
  readonly rounds: readonly Round[];
}

/** A conversation in pieces between which it may be cut. */
export function turnsIn(messages: readonly AgenticMessage[]): TalkTurn[] {
  const turns: { prompt: AgenticMessage[]; rounds: AgenticMessage[][] }[] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (message.role === "assistant") {
      if (turn === undefined) turns.push({ prompt: [], rounds: [[message]] });
      else turn.rounds.push([message]);
    } else if (isAnswer(message) && turn?.rounds.at(-1) !== undefined) turn.rounds.at(-1)?.push(message);
    else if (turn === undefined || turn.rounds.length > 0) turns.push({ prompt: [message], rounds: [] });
    else turn.prompt.push(message);
  }
  return turns;
}

/** Results, and answers to what a provider asked: they belong to the message before them. */
function isAnswer(message: AgenticMessage): boolean {
  if (toolResultsOf(message).length > 0) return true;
  return message.contentBlocks.some(
    ({ type }) => type === "mcp_tool_approval_response" || type === "tool_search_result",
  );
}

/** Messages that leave a conversation together; the lower the rank, the earlier. Without a rank they stay. */
interface Piece {
  readonly messages: readonly AgenticMessage[];
  readonly rank: number | undefined;
  /** Pieces of one rank and group leave together. */
  readonly group: number;
}

const rankOf = { oldTurn: 1, oldRound: 2, keptTurn: 3 } as const;

/**
 * A conversation that is cut piece by piece: first the turns before the kept ones, then the oldest rounds, and at last kept turns. The
 * newest prompt and the last round stay.
 */
export class Cutting {
  readonly #pieces: readonly Piece[];
  readonly #cut = new Set<Piece>();
  readonly #queue: (readonly Piece[])[];

  constructor(messages: readonly AgenticMessage[], keepTurns: number) {
    const turns = turnsIn(messages);
    this.#pieces = turns.flatMap((turn, index) => piecesOf(turn, index, turns.length - index, keepTurns));
    const groups = new Map<string, Piece[]>();
    for (const piece of this.#pieces) {
      if (piece.rank === undefined) continue;
      const name = `${piece.rank} ${String(piece.group).padStart(9, "0")}`;
      groups.set(name, [...(groups.get(name) ?? []), piece]);
    }
    this.#queue = [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, pieces]) => pieces);
  }

  /** The rank of what would be cut next. */
  get nextRank(): number | undefined {
    return this.#queue[0]?.[0]?.rank;
  }

  /** Cuts the next messages, and returns them. */
  cut(): readonly AgenticMessage[] {
    const pieces = this.#queue.shift() ?? [];
    for (const piece of pieces) this.#cut.add(piece);
    return pieces.flatMap(({ messages }) => messages);
  }

  /** Cuts all turns before the kept ones. */
  cutOldTurns(): void {
    while (this.nextRank === rankOf.oldTurn) this.cut();
  }

  /** Whether kept turns would be cut next. */
  get isAtKeptTurns(): boolean {
    return this.nextRank === rankOf.keptTurn;
  }

  /** What stays. */
  get rest(): AgenticMessage[] {
    return this.#pieces.flatMap((piece) => (this.#cut.has(piece) ? [] : piece.messages));
  }

  /** What was cut, in its order. */
  get gone(): AgenticMessage[] {
    return this.#pieces.flatMap((piece) => (this.#cut.has(piece) ? piece.messages : []));
  }
}

/** `left`: how many turns there are from this one on. */
function piecesOf({ prompt, rounds }: TalkTurn, index: number, left: number, keepTurns: number): Piece[] {
  if (left > Math.max(1, keepTurns)) {
    return [{ messages: [...prompt, ...rounds.flat()], rank: rankOf.oldTurn, group: index }];
  }
  const last = left === 1 ? undefined : rankOf.keptTurn;
  const group = index * 100_000;
  return [
    { messages: prompt, rank: last, group },
    ...rounds.map((messages, round): Piece => {
      const isLast = round === rounds.length - 1;
      return { messages, rank: isLast ? last : rankOf.oldRound, group: isLast ? group : group + round };
    }),
  ];
}
