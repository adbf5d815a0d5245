/** Between 1 byte and some pages of SQLite, of which none is like another. */
export function contentOf(count: number): Uint8Array {
  const length = 1 + ((count * 7_919) % 40_000);
  return Uint8Array.from({ length }, (_, index) => (index * 31 + count * 17 + (index >> 8)) & 0xff);
}
