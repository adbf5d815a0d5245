import { type Fields, isFields } from "../../is.js";
import type { BlockCommon } from "../../schema/message/content-block.js";

type Extra = Readonly<Record<string, unknown>>;
type ProviderOptions = Readonly<Record<string, unknown>>;

/** What a block keeps of where it comes from: the `provider` of the model, and what that sent with the block. */
export function providerExtra(provider: string, providerMetadata: unknown, more: Fields = {}): Extra {
  return providerMetadata === undefined ? { provider, ...more } : { provider, providerMetadata, ...more };
}

/** Whether a block goes back to this provider: it comes from there, or its origin is unknown. */
export function belongsTo(provider: string, { extra }: BlockCommon): boolean {
  return extra?.provider === undefined || extra.provider === provider;
}

/** Whether this provider is known to have sent the block. */
export function comesFrom(provider: string, { extra }: BlockCommon): boolean {
  return extra?.provider === provider;
}

/** What is sent with a block: what its own provider sent with it, and what the user says in `extra.providerOptions`. */
export function optionsFor(provider: string, block: { readonly extra?: Extra | undefined }): object {
  const { extra } = block;
  if (extra === undefined) return noOptions;
  const sent = comesFrom(provider, block) && isFields(extra.providerMetadata) ? extra.providerMetadata : undefined;
  const said = isFields(extra.providerOptions) ? extra.providerOptions : undefined;
  if (sent === undefined && said === undefined) return noOptions;
  return { providerOptions: mergeOptions(sent, said) };
}

/** Where nothing is sent with a block. */
export const noOptions: object = {};

/** By provider, and then field by field; the second comes before the first. */
export function mergeOptions(first: ProviderOptions | undefined, second: ProviderOptions | undefined): ProviderOptions {
  if (first === undefined || second === undefined) return first ?? second ?? {};
  const merged = new Map(Object.entries(first));
  for (const [name, fields] of Object.entries(second)) {
    const known = merged.get(name);
    merged.set(name, isFields(known) && isFields(fields) ? { ...known, ...fields } : fields);
  }
  return Object.fromEntries(merged);
}
