import { messageOf } from "../../errors.js";
import type { MCPServerOptions } from "./options.js";

/** Tells the owner of a server what its clients must not see. */
export function reportError({ logger = console }: MCPServerOptions, message: string, error: unknown): void {
  if (logger.error === undefined) logger.warn(`${message} ${messageOf(error)}`);
  else logger.error(message, error);
}
