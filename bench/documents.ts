/** Numbers that are the same in every run, and look like chance. */
function* pseudoRandom(): Generator<number, never> {
  for (let state = 7; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state / 2_147_483_647;
  }
}

const numbers = pseudoRandom();
const below = (limit: number): number => Math.floor(numbers.next().value * limit);

const words = "lattice wood joint nail slat groove paper tea of the and a with thin pressed together 组子 naïve".split(
  " ",
);
const sentence = (): string =>
  `${Array.from({ length: 4 + below(16) }, () => words[below(words.length)]).join(" ")}.`.replace(/^./, (letter) =>
    letter.toUpperCase(),
  );
const paragraph = (): string => Array.from({ length: 1 + below(8) }, sentence).join(" ");

function grow(piece: () => string): string {
  let text = "";
  while (text.length < 200_000) text += `${piece()}\n\n`;
  return text.slice(0, 200_000);
}

export const plainText = grow(paragraph);

export const markdownText = grow(() => {
  const kind = below(10);
  if (kind === 0) return `## ${sentence()}`;
  if (kind === 1) return `- ${sentence()}\n- ${sentence()}\n- ${sentence()}`;
  if (kind === 2) return `\`\`\`ts\nconst lattice = "${sentence()}";\n\`\`\``;
  return paragraph();
});

export function vectorsOf(count: number, dimension: number): Float32Array[] {
  return Array.from({ length: count }, () => queryOf(dimension));
}

export function queryOf(dimension: number): Float32Array {
  return Float32Array.from({ length: dimension }, () => numbers.next().value - 0.5);
}
