import type { ServerResponse } from "node:http";
import type { AppProcess } from "./app-process.js";

/** The stream of events of a page. Between the lines of the app it tells how the process of the app is. */
export class LiveLines {
  readonly #response: ServerResponse;
  readonly #app: AppProcess;
  readonly #unlisten: () => void;
  #isInLine = false;
  #isDue = false;

  constructor(response: ServerResponse, app: AppProcess) {
    this.#response = response;
    this.#app = app;
    this.#unlisten = app.onState(() => this.tell());
    response.on("close", () => this.#unlisten());
  }

  /** Passes on a piece of the app's stream. Returns whether more may come now. */
  write(piece: Buffer): boolean {
    const isOpen = this.#response.write(piece);
    this.#isInLine = piece.at(-1) !== 0x0a;
    if (this.#isDue) this.tell();
    return isOpen;
  }

  /** Tells the state of the app, once the line that is being sent is over. */
  tell(): void {
    this.#isDue = this.#isInLine;
    if (this.#isDue || this.#response.writableEnded) return;
    this.#response.write(`${JSON.stringify({ type: "dev", id: -1, state: this.#app.state })}\n`);
  }

  /** The app has gone in the middle of a line, maybe. */
  cutOff(): void {
    if (this.#isInLine) this.#response.write("\n");
    this.#isInLine = false;
    this.tell();
  }
}
