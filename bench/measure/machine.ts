import { cpus, loadavg, totalmem } from "node:os";

/** What figures depend on, in one line. */
export function machineText(): string {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}, ${cpus().length} × ${first?.model.trim() ?? "unknown"}, ${memory}`;
}

/** How busy the machine has been during the last minute, beside this process too. */
export const loadText = (): string => (loadavg()[0] ?? 0).toFixed(1);
