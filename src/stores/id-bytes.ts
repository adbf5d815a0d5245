import { reservedMark } from "../checkpoint/journal/checkpoint-id.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Lone surrogates, which UTF-8 cannot encode. */
const loneSurrogate = /\p{Surrogate}/u;

/**
 * An id as bytes, for databases whose text columns cannot hold every string: UTF-8, with lone surrogates encoded in the same
 * way. Ids are equal when their bytes are, and comparing the bytes gives the order of code points.
 */
export function idToBytes(id: string): Uint8Array {
  if (!loneSurrogate.test(id)) return encoder.encode(id);
  const bytes: number[] = [];
  for (const character of id) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0xd800 || code > 0xdfff) bytes.push(...encoder.encode(character));
    else bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  }
  return Uint8Array.from(bytes);
}

/** The inverse of `idToBytes`. */
export function idFromBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeSurrogates(bytes);
  }
}

/** A range of bytes from `from` (inclusive) to `before` (exclusive). */
export interface ByteRange {
  readonly from: Uint8Array;
  readonly before: Uint8Array;
}

/**
 * The ranges of the ids that `list(prefix)` returns, in ascending order. As with `startsWith`, the prefix may end inside a
 * surrogate pair. The empty prefix leaves out the ids reserved for the library, which begin with `~`.
 */
export function rangesOfPrefix(prefix: string): ByteRange[] {
  const from = idToBytes(prefix);
  if (prefix === "") {
    const reserved = idToBytes(reservedMark);
    return [
      { from, before: reserved },
      { from: after(reserved), before: after(from) },
    ];
  }
  const whole = { from, before: after(from) };
  const last = prefix.charCodeAt(prefix.length - 1);
  if (!(last >= 0xd800 && last <= 0xdbff)) return [whole];
  return [whole, { from: idToBytes(`${prefix}\udc00`), before: after(idToBytes(`${prefix}\udfff`)) }];
}

/** The first bytes after all those that begin with these. (No byte of an id is 0xff.) */
function after(bytes: Uint8Array): Uint8Array {
  const last = bytes.at(-1);
  if (last === undefined) return Uint8Array.of(0xff);
  const end = bytes.slice();
  end[end.length - 1] = last + 1;
  return end;
}

function decodeSurrogates(bytes: Uint8Array): string {
  let text = "";
  let start = 0;
  for (let index = 0; index < bytes.length; index++) {
    const [second = 0, third = 0] = [bytes[index + 1], bytes[index + 2]];
    if (bytes[index] !== 0xed || second < 0xa0) continue; // no surrogate begins here
    text += decoder.decode(bytes.subarray(start, index));
    text += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    start = index + 3;
    index += 2;
  }
  return text + decoder.decode(bytes.subarray(start));
}
