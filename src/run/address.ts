/** A part of an address: `;` separates parts, so in a part it is percent-encoded. */
export function addressPart(text: string): string {
  return /[%;]/.test(text) ? text.replace(/[%;]/g, encodeURIComponent) : text;
}

/** The name of a tool: in its part of an address it ends at the first `:`. */
export function addressName(text: string): string {
  return /[%;:]/.test(text) ? text.replace(/[%;:]/g, encodeURIComponent) : text;
}
