import { createHash } from "node:crypto";

/** The key of an advisory lock, as a literal of PostgreSQL's bigint: 64 bits of a hash, so that nobody else has it. */
export function lockKey(purpose: string): string {
  return createHash("sha256").update(`kumiko/${purpose}`).digest().readBigInt64BE().toString();
}

/** The lock that a process holds while it is connected. */
export const ownerLockKey = (owner: string): string => lockKey(`owner/${owner}`);
