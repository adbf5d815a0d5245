import { randomId } from "../../callbacks/random-id.js";

/** What the name of a process tells of it. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** `linux:<boot>:<namespace>:<ticks>`, or `<platform>:<second>` where that cannot be had. */
  readonly start: string;
}

/** What Linux knows of a process. */
export interface LinuxProcess {
  /** It is gone, except for its exit code, for which nobody has asked yet. */
  readonly zombie: boolean;
  readonly start: string;
}

/** The few parts of Node.js that are needed here. This file runs in browsers too, and imports no module of Node.js. */
interface NodeProcess {
  readonly pid: number;
  readonly platform: string;
  uptime(): number;
  getBuiltinModule?(name: string): unknown;
}
export interface FileReader {
  readFileSync(path: string, encoding: "utf8"): string;
  readlinkSync(path: string): string;
}

const cache: { name?: string } = {};

/**
 * Names this process, for claims: `node/<host>/<pid>/<start>`, the same in all its threads. Where the host cannot be asked
 * (a browser, an edge runtime) it is a random name, made once.
 */
export function processOwner(): string {
  cache.name ??= nodeName() ?? randomName();
  return cache.name;
}

/** Reads what `processOwner` wrote; `undefined` for every other name. */
export function parseProcessOwner(owner: string): ProcessIdentity | undefined {
  const [, host, pid, start] = /^node\/([^/]+)\/([1-9]\d{0,9})\/([^/]+)$/.exec(owner) ?? [];
  return host === undefined || start === undefined ? undefined : { host, pid: Number(pid), start };
}

/** How a host is called in the name of a process. */
export const hostPart = (hostname: string): string => encodeURIComponent(hostname);

/** Looks a process up; `undefined` when it is not there, or cannot be seen. */
export function readLinuxProcess(files: FileReader, namespace: string, pid: number): LinuxProcess | undefined {
  try {
    const stat = files.readFileSync(`/proc/${pid}/stat`, "utf8");
    // `<pid> (<name>) <state> …`, and the name may hold anything, parentheses too
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, ticks = ""] = [fields[0], fields[19]];
    if (!/^\d+$/.test(ticks)) return undefined;
    return { zombie: state === "Z" || state === "X", start: `${namespace}:${ticks}` };
  } catch {
    return undefined;
  }
}

/**
 * Where the numbers and starts of processes mean what they mean to this process: `linux:<boot>:<namespace>`. Starts count
 * from the boot, and each container counts its processes on its own.
 */
export function linuxNamespace(files: FileReader, ownPid: number): string | undefined {
  try {
    // a `/proc` that was mounted for another namespace knows this process under another number
    if (files.readlinkSync("/proc/self") !== String(ownPid)) return undefined;
    const boot = files.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const [namespace] = /\d+/.exec(files.readlinkSync("/proc/self/ns/pid")) ?? [];
    return /^[\w-]+$/.test(boot) && namespace !== undefined ? `linux:${boot}:${namespace}` : undefined;
  } catch {
    return undefined;
  }
}

function nodeName(): string | undefined {
  const { process } = globalThis as { readonly process?: NodeProcess };
  try {
    const os = process?.getBuiltinModule?.("node:os") as { hostname(): string } | undefined;
    const files = process?.getBuiltinModule?.("node:fs") as FileReader | undefined;
    if (process === undefined || os === undefined || files === undefined) return undefined;
    return `node/${hostPart(os.hostname())}/${process.pid}/${ownStart(process, files)}`;
  } catch {
    return undefined; // a runtime that has such modules, and does not let everybody use them
  }
}

function ownStart(process: NodeProcess, files: FileReader): string {
  const namespace = linuxNamespace(files, process.pid);
  const found = namespace === undefined ? undefined : readLinuxProcess(files, namespace, process.pid);
  return found?.start ?? `${process.platform}:${Math.round(Date.now() / 1_000 - process.uptime())}`;
}

function randomName(): string {
  return `process/${randomId()}`;
}
