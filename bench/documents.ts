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

let marks = 0;
/** A sentence that can be found again. */
const marked = (): string => `${sentence()} mark${++marks}.`;

export const htmlText = `<html><head><title>Lattice</title><style>p { margin: 0 }</style></head><body>
${grow(() => `<h2>${sentence()}</h2>\n<p>${marked()} <b>${sentence()}</b> ${paragraph()}</p>\n<ul><li>${marked()}</li><li>${marked()}</li></ul>`).replace(/[^\n]*$/, "")}
</body></html>`;

export const latexText = `\\documentclass{article}
\\begin{document}
${grow(() => `\\section{${sentence()}}\n\n${marked()} ${paragraph()}\n\n\\begin{itemize}\n\\item ${marked()}\n\\item ${marked()}\n\\end{itemize}`).replace(/[^\n]*$/, "")}
\\end{document}`;

export const jsonText = JSON.stringify(
  Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [
      `part${n}`,
      { title: sentence(), text: `${marked()} ${paragraph()}`, place: { page: n, note: marked() } },
    ]),
  ),
);

export function vectorsOf(count: number, dimension: number): Float32Array[] {
  return Array.from({ length: count }, () => queryOf(dimension));
}

export function queryOf(dimension: number): Float32Array {
  return Float32Array.from({ length: dimension }, () => numbers.next().value - 0.5);
}
