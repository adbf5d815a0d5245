/** An event of AG-UI 1.0. */
export type AgUiEvent = { readonly type: string } & Readonly<Record<string, unknown>>;
