/** Controls that change the order in which text is read, and so what it seems to say. */
export const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const each = new RegExp(bidi, "g");

/** The name of a control: `U+202E`. */
export function nameOfControl(control: string): string {
  return `U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A text in which controls of direction stand by their names. */
export function withControlsNamed(text: string): string {
  return bidi.test(text) ? text.replace(each, nameOfControl) : text;
}
