import { KumikoError, messageOf } from "./errors.js";

/**
 * Loads an optional peer dependency with `load`, a function that imports it. If that fails, the error has the code
 * `PACKAGE_MISSING`, and says what needs the package and how to install it. `purpose` begins its message.
 */
export async function loadPackage<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw packageMissing(name, purpose, cause);
  }
}

/** The error for an optional package that could not be loaded, for entries that do not load it with {@link loadPackage}. */
export function packageMissing(name: string, purpose: string, cause: unknown): KumikoError {
  // a package that is installed may fail to load for a reason of its own
  const reason = isNotFound(name, cause) ? "" : `. Loading it failed: ${messageOf(cause)}`;
  const message = `${purpose} needs the package ${name}. Install it: npm install ${name}${reason}`;
  return new KumikoError("PACKAGE_MISSING", message, { cause });
}

function isNotFound(name: string, cause: unknown): boolean {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
  return (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") && messageOf(cause).includes(name);
}
