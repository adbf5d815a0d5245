import { randomId } from "../../callbacks/random-id.js";
import type { CheckpointDocument } from "../document/document.js";
import { writeHead } from "../document/write-document.js";
import { bytesOf } from "../values/text-bytes.js";
import { processOwner } from "./process-owner.js";

/** What a run writes of itself: which run it is, and how far it had come when it was last saved. */
export class OwnDocument {
  /** The run as it was saved last, as text; `undefined` as long as nothing of it was. */
  saved: string | undefined = undefined;
  /** Names the claim, so that this process knows whether its run has ended. */
  claim: string | undefined = undefined;
  readonly #keepsHead: boolean;
  #runKey: string | undefined = undefined;
  /** Questions that the last resume with answers has answered. */
  #answered: readonly string[] = [];
  /** What a document of the run begins with as long as it runs. */
  #head: string | undefined = undefined;

  /** `keepsHead`: the run is written often. */
  constructor(keepsHead: boolean) {
    this.#keepsHead = keepsHead;
  }

  /** Made when it is first read: a run that is resumed has one. */
  get runKey(): string {
    this.#runKey ??= randomId();
    return this.#runKey;
  }

  /** Goes on as this run. */
  continue(runKey: string, answered: readonly string[]): void {
    this.#runKey = runKey;
    this.#answered = answered;
    this.#head = undefined;
  }

  /** `requested`: a stop that was asked for. */
  bytes(status: CheckpointDocument["status"], requested?: string): Uint8Array {
    return bytesOf(`${this.#headOf(status, requested)}${this.saved ?? "null"}}`);
  }

  #headOf(status: CheckpointDocument["status"], requested: string | undefined): string {
    const isRunning = status === "running";
    if (isRunning && this.#head !== undefined) return this.#head;
    const head = writeHead({
      runKey: this.runKey,
      status,
      owner: isRunning ? processOwner() : undefined,
      claim: isRunning ? this.claim : undefined,
      answered: this.#answered,
      requested: status === "stopped" ? requested : undefined,
    });
    if (isRunning && this.#keepsHead) this.#head = head;
    return head;
  }
}

const decoder = new TextDecoder();

/** The document of another run as it stands, with a claim on it. `data` was read before: it is a document. */
export function claimedBytes(data: Uint8Array, claim: string): Uint8Array {
  const document: unknown = JSON.parse(decoder.decode(data));
  return bytesOf(JSON.stringify(Object.assign(Object(document), { status: "running", owner: processOwner(), claim })));
}
