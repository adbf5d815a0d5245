import { packageMissing } from "../../../optional-package.js";

/** The path of the extension in the package `sqlite-vec` for this platform. */
export async function findVec(): Promise<string> {
  try {
    const { getLoadablePath } = await import("sqlite-vec");
    return getLoadablePath();
  } catch (cause) {
    throw packageMissing("sqlite-vec", "sqliteVectors", cause);
  }
}
