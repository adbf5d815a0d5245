/**
 * Ids as PostgreSQL keeps them. Its texts hold no NUL and no half of a surrogate pair, and sort by language; bytes hold
 * everything and sort as bytes. So ids are UTF-8, and a surrogate that stands alone has the three bytes that UTF-8 would
 * give its number (WTF-8): equal bytes are equal ids, the order of bytes is that of code points, and what starts with
 * certain characters starts with their bytes.
 */
export function encodeId(id: string): Buffer {
  if (!loneSurrogate.test(id)) return Buffer.from(id, "utf8");
  return Buffer.concat(
    Array.from(id, (character) => (loneSurrogate.test(character) ? alone(character) : utf8(character))),
  );
}

/** Reads what `encodeId` wrote. */
export function decodeId(bytes: Buffer): string {
  let text = "";
  let start = 0;
  for (let at = bytes.indexOf(surrogateLead); at >= 0; at = bytes.indexOf(surrogateLead, at + 1)) {
    const [second = 0, third = 0] = bytes.subarray(at + 1, at + 3);
    if (second < 0xa0) continue;
    text += bytes.toString("utf8", start, at) + String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    start = at + 3;
  }
  return text + bytes.toString("utf8", start);
}

/** Encoded ids from `from` on, up to `before` and without it. */
export interface IdRange {
  readonly from: Buffer;
  readonly before: Buffer;
}

/** Where the ids that start with `prefix` are, in ascending order; as with `startsWith`, it may end within a pair. */
export function rangesOf(prefix: string): IdRange[] {
  const bytes = encodeId(prefix);
  if (bytes.length === 0) return [{ from: bytes, before: Buffer.of(0xff) }];
  const whole = { from: bytes, before: after(bytes) };
  const last = prefix.charCodeAt(prefix.length - 1);
  if (last < 0xd800 || last > 0xdbff) return [whole];
  const start = prefix.slice(0, -1);
  const first = 0x10000 + ((last - 0xd800) << 10);
  const pairs = [first, first + 0x3ff].map((code) => encodeId(start + String.fromCodePoint(code)));
  const [from = bytes, to = bytes] = pairs;
  return [whole, { from, before: after(to) }];
}

/** The least bytes that are greater. */
export function next(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.of(0)]);
}

/** Matches half of a pair, and no whole one. */
const loneSurrogate = /\p{Surrogate}/u;
/** What the bytes of a lone surrogate begin with, and those of other characters up to U+D7FF. No later byte has it. */
const surrogateLead = 0xed;

const utf8 = (character: string): Buffer => Buffer.from(character, "utf8");

function alone(surrogate: string): Buffer {
  const code = surrogate.charCodeAt(0);
  return Buffer.of(surrogateLead, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
}

/** The least bytes that are greater than all that start with these. No encoded id has a byte 0xff. */
function after(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) + 1;
  return copy;
}
