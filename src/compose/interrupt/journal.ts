/** What a run writes itself down with, as its places see it. */
export interface Journal {
  /** Names the run among all others, also after a resume. */
  readonly runKey: string;
  /** Somebody outside has asked the run to stop: no new task begins. */
  readonly isStopRequested: boolean;
  /** Saves what has happened, if the run is saved after every finished task. */
  commit(): Promise<void> | undefined;
}
