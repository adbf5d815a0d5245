export type Color = "bold" | "dim" | "red" | "green" | "yellow";

/** Colors a text, or returns it unchanged if colors are off. */
export type Paint = (color: Color, text: string) => string;

const codes: Readonly<Record<Color, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

export function createPaint(colors: boolean): Paint {
  if (!colors) return (_color, text) => text;
  return (color, text) => {
    const [on, off] = codes[color];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}

/** The part of Node's `process` that is read. Other platforms may lack it. */
export interface ProcessLike {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly stdout?: { readonly isTTY?: boolean | undefined } | undefined;
}

/** Whether to use colors: `NO_COLOR` turns them off, `FORCE_COLOR` on; otherwise stdout must be a terminal. */
export function hasColors({ env, stdout }: ProcessLike): boolean {
  if (env?.NO_COLOR) return false;
  const forced = env?.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stdout?.isTTY === true && env?.TERM !== "dumb";
}

/** The current process; empty if reading it is not permitted (Deno). */
export function currentProcess(): ProcessLike {
  try {
    const { process } = globalThis as { readonly process?: ProcessLike };
    const { NO_COLOR, FORCE_COLOR, TERM } = process?.env ?? {};
    return { env: { NO_COLOR, FORCE_COLOR, TERM }, stdout: { isTTY: process?.stdout?.isTTY } };
  } catch {
    return {};
  }
}
