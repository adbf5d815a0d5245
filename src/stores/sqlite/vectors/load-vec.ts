import { noVec } from "../errors.js";

/** Where the extension of the package `sqlite-vec` is, on this platform. */
export async function findVec(): Promise<string> {
  try {
    const { getLoadablePath } = await import("sqlite-vec");
    return getLoadablePath();
  } catch (cause) {
    throw noVec(cause);
  }
}
