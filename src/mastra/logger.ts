/** What a Mastra and everything registered with it logs to. */
export interface MastraLogger {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}

const nothing = (): void => undefined;

/** For `logger: false`. */
export const silentLogger: MastraLogger = Object.freeze({
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
});

/** Writes to the console, without what is only for debugging. */
export const consoleLogger: MastraLogger = Object.freeze({
  debug: nothing,
  info: (message: string, ...details: unknown[]) => console.info(message, ...details),
  warn: (message: string, ...details: unknown[]) => console.warn(message, ...details),
  error: (message: string, ...details: unknown[]) => console.error(message, ...details),
});
