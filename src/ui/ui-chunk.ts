/** A chunk of the UI message stream of the AI SDK. */
export type UiChunk = { readonly type: string } & Readonly<Record<string, unknown>>;
