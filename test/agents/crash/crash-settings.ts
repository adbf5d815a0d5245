/** What one process of the crash test does. */
export interface CrashSettings {
  /** The file of the store. */
  readonly store: string;
  /** The file in which effects are noted. */
  readonly log: string;
  /** Which process it is. */
  readonly life: number;
  /** Goes on with the thread, or asks this. */
  readonly command: string;
  /** Asks so many things one after another, each when the thread is free. */
  readonly turns?: number | undefined;
  /** Kills itself right after so many notes. */
  readonly dieAt?: number | undefined;
}
