import type { TapePlayer } from "./tape-player.js";

/** Returns what plays a tape. It is loaded at the first call. */
export type Play = () => Promise<TapePlayer>;
