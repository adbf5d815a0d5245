import { type Fields, isFields } from "../../is.js";
import type { BlockCommon } from "../../schema/message/content-block.js";

type Extra = Readonly<Record<string, unknown>>;
type ProviderOptions = Readonly<Record<string, unknown>>;

/** The `extra` of a block: the provider it came from, and the metadata that the provider sent. */
export function providerExtra(provider: string, providerMetadata: unknown, more: Fields = {}): Extra {
  return providerMetadata === undefined ? { provider, ...more } : { provider, providerMetadata, ...more };
}

/** Whether a block can be sent to this provider: it came from there, or its origin is unknown. */
export function belongsTo(provider: string, { extra }: BlockCommon): boolean {
  return extra?.provider === undefined || extra.provider === provider;
}

/** Whether this provider is known to have sent the block. */
export function comesFrom(provider: string, { extra }: BlockCommon): boolean {
  return extra?.provider === provider;
}

/** The provider options of a block: the metadata that the same provider sent, and `extra.providerOptions` of the user. */
export function optionsFor(provider: string, block: { readonly extra?: Extra | undefined }): object {
  const { extra } = block;
  if (extra === undefined) return noOptions;
  const sent = comesFrom(provider, block) && isFields(extra.providerMetadata) ? extra.providerMetadata : undefined;
  const said = isFields(extra.providerOptions) ? extra.providerOptions : undefined;
  if (sent === undefined && said === undefined) return noOptions;
  return { providerOptions: mergeOptions(sent, said) };
}

/** The result of {@link optionsFor} if there are no options. */
export const noOptions: object = {};

/** Merges options per provider and field; `second` takes precedence. */
export function mergeOptions(first: ProviderOptions | undefined, second: ProviderOptions | undefined): ProviderOptions {
  if (first === undefined || second === undefined) return first ?? second ?? {};
  const merged = new Map(Object.entries(first));
  for (const [name, fields] of Object.entries(second)) {
    const known = merged.get(name);
    merged.set(name, isFields(known) && isFields(fields) ? { ...known, ...fields } : fields);
  }
  return Object.fromEntries(merged);
}
