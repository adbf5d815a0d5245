/** The logger of a {@link Mastra} and of everything registered with it. */
export interface MastraLogger {
  /** Details for development. */
  debug(message: string, ...details: unknown[]): void;
  /** Messages of normal operation. */
  info(message: string, ...details: unknown[]): void;
  /** Possible mistakes. */
  warn(message: string, ...details: unknown[]): void;
  /** Failures. */
  error(message: string, ...details: unknown[]): void;
}

const noop = (): void => undefined;

/** For `logger: false`. */
export const silentLogger: MastraLogger = Object.freeze({
  debug: noop,
  info: noop,
  warn: noop,
  error: noop,
});

/** Writes to the console, except debug messages. */
export const consoleLogger: MastraLogger = Object.freeze({
  debug: noop,
  info: (message: string, ...details: unknown[]) => console.info(message, ...details),
  warn: (message: string, ...details: unknown[]) => console.warn(message, ...details),
  error: (message: string, ...details: unknown[]) => console.error(message, ...details),
});
