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
 * Whether the process with this name (made by `processOwner`) may still be alive. `false` only when it is certainly gone: it ran
 * on this host since the last boot, and its pid is now unused, a zombie's, or another process's. Processes on other hosts or in
 * other containers are not visible from here: `true`.
 */
export function isProcessOwnerAlive(owner: string): boolean {
  if (owner === processOwner()) return true;
  const named = parseProcessOwner(owner);
  if (named === undefined || named.host !== hostPart(hostname())) return true;
  return process.platform === "linux"
    ? isLinuxProcessAlive(named.pid, named.start)
    : !named.start.startsWith(`${process.platform}:`) || isPidInUse(named.pid);
}

function isLinuxProcessAlive(pid: number, start: string): boolean {
  const namespace = linuxNamespace(files, process.pid);
  if (namespace === undefined || !start.startsWith(`${namespace}:`)) return true;
  if (!isPidInUse(pid)) return false;
  // `undefined` although the pid is in use: the process is hidden, as that of another user, or it ended just now
  const found = readLinuxProcess(files, namespace, pid);
  return found === undefined || (!found.zombie && found.start === start);
}

function isPidInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0); // signal 0 only checks
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
