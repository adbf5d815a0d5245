import { cannotConcatMessages } from "../errors.js";
import { withoutUndefined } from "../without-undefined.js";
import type { ResponseMeta, TokenUsage } from "./agentic-message.js";
import { concatValues } from "./concat-extra.js";

type Vendor = "openaiExtension" | "geminiExtension" | "claudeExtension" | "extension";

/** Joins the metadata of chunks: the largest counts, the last reason, and the extension of one provider. */
export function concatResponseMetas(metas: readonly ResponseMeta[]): ResponseMeta | undefined {
  if (metas.length === 0) return undefined;
  const vendor = theVendor(metas);
  return withoutUndefined<ResponseMeta>({
    ...lastFilledFields<ResponseMeta>(metas),
    tokenUsage: largestUsage(metas),
    ...(vendor && { [vendor]: joinExtensions(metas, vendor) }),
  });
}

function theVendor(metas: readonly ResponseMeta[]): Vendor | undefined {
  let vendor: Vendor | undefined;
  for (const meta of metas) {
    for (const other of ["openaiExtension", "geminiExtension", "claudeExtension", "extension"] as const) {
      if (meta[other] === undefined || meta[other] === null || other === vendor) continue;
      if (vendor === undefined) vendor = other;
      else
        throw cannotConcatMessages(`inconsistent extension types in responseMeta: ${vendor} and ${other}. Send one.`);
    }
  }
  return vendor;
}

function joinExtensions(metas: readonly ResponseMeta[], vendor: Vendor): unknown {
  if (vendor !== "extension") return lastFilledFields(metas.map((meta) => meta[vendor]));
  return concatValues(
    metas.map((meta) => meta.extension),
    "responseMeta.extension",
  );
}

function lastFilledFields<T extends object>(records: readonly (T | null | undefined)[]): Partial<T> {
  const fields = new Map<string, unknown>();
  for (const record of records) {
    for (const [key, value] of Object.entries(record ?? {})) {
      if (value !== undefined && value !== null && value !== "") fields.set(key, value);
    }
  }
  return Object.fromEntries(fields) as Partial<T>;
}

function largestUsage(metas: readonly ResponseMeta[]): TokenUsage | undefined {
  const largest = new Map<string, number>();
  for (const { tokenUsage } of metas) {
    for (const [field, count] of Object.entries<unknown>({ ...tokenUsage })) {
      if (typeof count === "number") largest.set(field, Math.max(count, largest.get(field) ?? count));
    }
  }
  return largest.size === 0 ? undefined : (Object.fromEntries(largest) as Partial<TokenUsage> as TokenUsage);
}
