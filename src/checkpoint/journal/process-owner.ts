import { randomId } from "../../callbacks/random-id.js";

/** The parts of the name of a process. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** `linux:<boot>:<namespace>:<ticks>`, or `<platform>:<second>` where that is not available. */
  readonly start: string;
}

/** The data that Linux reports about a process. */
export interface LinuxProcess {
  /** It has exited, and its parent has not collected the exit code yet. */
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
 * The name of this process in claims: `node/<host>/<pid>/<start>`, the same in all its threads. Where that is not available
 * (browsers, edge runtimes) it is a random name, made once.
 */
export function processOwner(): string {
  cache.name ??= nodeName() ?? randomName();
  return cache.name;
}

/** Parses a name made by `processOwner`; `undefined` for every other name. */
export function parseProcessOwner(owner: string): ProcessIdentity | undefined {
  const [, host, pid, start] = /^node\/([^/]+)\/([1-9]\d{0,9})\/([^/]+)$/.exec(owner) ?? [];
  return host === undefined || start === undefined ? undefined : { host, pid: Number(pid), start };
}

/** The host as it is written in the name of a process. */
export const hostPart = (hostname: string): string => encodeURIComponent(hostname);

/** Looks up a process; `undefined` when it does not exist or is not visible. */
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
 * The scope in which process ids and start times are comparable: `linux:<boot>:<namespace>`. Start times count from the boot,
 * and each container numbers its processes on its own.
 */
export function linuxNamespace(files: FileReader, ownPid: number): string | undefined {
  try {
    // a `/proc` that is mounted for another namespace shows this process under another number
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
    return undefined; // the runtime has these modules, but does not allow their use
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
