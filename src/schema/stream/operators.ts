import { concatChunks } from "../concat/concat-chunks.js";
import { untilJoinable } from "../concat/load-message-joining.js";
import type { Joining } from "../concat/rule.js";
import { isPromiseLike } from "../promise-like.js";
import { copySource } from "./copy.js";
import { DROPPED, mapSource } from "./map.js";
import { mergeNamedSources, mergeSources } from "./merge.js";
import type { ChunkSource } from "./source.js";

/** What a reader does besides reading: loaded when the first one does. */
export const operators = {
  copy: copySource,
  merge: mergeSources,
  mergeNamed: mergeNamedSources,

  map<T, Mapped>(source: ChunkSource<T>, apply: (chunk: T) => Mapped | PromiseLike<Mapped>): ChunkSource<Mapped> {
    return mapSource(source, { apply }) as ChunkSource<Mapped>;
  },

  filter<T>(source: ChunkSource<T>, keeps: (chunk: T) => unknown): ChunkSource<T> {
    const apply = (chunk: T): unknown => {
      const kept = keeps(chunk);
      if (isPromiseLike(kept)) return kept.then((answer) => (answer ? chunk : DROPPED));
      return kept ? chunk : DROPPED;
    };
    return mapSource(source, { apply }) as ChunkSource<T>;
  },

  concat(chunks: readonly unknown[], { rule, registry, where }: Partial<Joining> = {}): unknown {
    const loading = untilJoinable(chunks);
    if (loading === undefined) return concatChunks(chunks, rule, registry, where);
    return loading.then(() => concatChunks(chunks, rule, registry, where));
  },
};
