import { createHash } from "node:crypto";

/** The key of an advisory lock, as a bigint literal: 64 bits of a hash, so that it does not collide with other locks. */
export function lockKey(purpose: string): string {
  return createHash("sha256").update(`kumiko/${purpose}`).digest().readBigInt64BE().toString();
}

/** The key of the lock that a process holds while it is connected. */
export const ownerLockKey = (owner: string): string => lockKey(`owner/${owner}`);
