import { canonicalText } from "../../run/policies/canonical-text.js";
import { jsonCopy } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";

/** Tells prompts apart that must not be stored as they were. */
export async function promptDigest(prompt: readonly AgenticMessage[]): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalText(jsonCopy(prompt), []));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
