/** The logger of a {@link Mastra} and of everything registered with it. */
export interface MastraLogger {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
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
