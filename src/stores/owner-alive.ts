import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import {
  hostPart,
  linuxNamespace,
  parseProcessOwner,
  processOwner,
  readLinuxProcess,
} from "../checkpoint/journal/process-owner.js";

const files = { readFileSync, readlinkSync };

/**
 * Whether the process with this name, one that `processOwner` gave, may still be there. `false` only when it is certainly
 * gone: it ran on this host since its last boot, and its number is now nobody's, a zombie's, or another process's. What runs
 * on other hosts, or in other containers of this one, cannot be seen from here: `true`.
 */
export function isProcessOwnerAlive(owner: string): boolean {
  if (owner === processOwner()) return true;
  const named = parseProcessOwner(owner);
  if (named === undefined || named.host !== hostPart(hostname())) return true;
  return process.platform === "linux"
    ? isLinuxProcessThere(named.pid, named.start)
    : !named.start.startsWith(`${process.platform}:`) || isNumberTaken(named.pid);
}

function isLinuxProcessThere(pid: number, start: string): boolean {
  const namespace = linuxNamespace(files, process.pid);
  if (namespace === undefined || !start.startsWith(`${namespace}:`)) return true;
  if (!isNumberTaken(pid)) return false;
  // Not to be read although it is there: it belongs to another user, who hides it, or it ended just now.
  const found = readLinuxProcess(files, namespace, pid);
  return found === undefined || (!found.zombie && found.start === start);
}

function isNumberTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0); // sends nothing
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
