import type { Status } from "../compose/plan/picture/trace-marks.js";

/** The colors of a picture. */
export type PictureTheme = "light" | "dark";

interface Paint {
  readonly fill: string;
  readonly line: string;
  readonly text: string;
}

/** The colors of a theme, by use. */
export interface Colors {
  readonly background: string;
  readonly line: string;
  readonly faint: string;
  readonly error: string;
  readonly text: string;
  readonly box: Paint;
  readonly end: Paint;
  readonly node: Paint;
  /** By component: models, tools and retrievers stand out. */
  readonly components: Readonly<Record<string, Paint>>;
  readonly statuses: Readonly<Record<Status, Paint>>;
}

const paint = (fill: string, line: string, text: string): Paint => ({ fill, line, text });

export const themes: Readonly<Record<PictureTheme, Colors>> = {
  light: {
    background: "#ffffff",
    line: "#5b6472",
    faint: "#a3abb8",
    error: "#c62828",
    text: "#3d4552",
    box: paint("#f7f8fa", "#c3c9d3", "#4b5563"),
    end: paint("#3d4552", "#3d4552", "#ffffff"),
    node: paint("#ffffff", "#8a93a3", "#1f2733"),
    components: {
      model: paint("#efe9fb", "#7e57c2", "#3a2170"),
      tools_node: paint("#e2f1fb", "#2a7ab0", "#0f3d5c"),
      retriever: paint("#e3f4ee", "#2f8f6f", "#123f31"),
    },
    statuses: {
      done: paint("#e3f4e6", "#2e7d32", "#14361a"),
      failed: paint("#fde4e4", "#c62828", "#5c1313"),
      waiting: paint("#fff2d1", "#b26a00", "#4d3000"),
      skipped: paint("#f4f4f4", "#bdbdbd", "#7a7a7a"),
    },
  },
  dark: {
    background: "#0f141b",
    line: "#9aa5b5",
    faint: "#5d6778",
    error: "#ff8a80",
    text: "#c3ccd9",
    box: paint("#161d27", "#3b4554", "#aab4c3"),
    end: paint("#c3ccd9", "#c3ccd9", "#0f141b"),
    node: paint("#1c2531", "#6d7889", "#e6ebf2"),
    components: {
      model: paint("#2b2344", "#9d7fe0", "#e8dfff"),
      tools_node: paint("#15303f", "#4fa3d1", "#d8efff"),
      retriever: paint("#163529", "#52b493", "#d5f5ea"),
    },
    statuses: {
      done: paint("#173621", "#5cb567", "#d3f3d8"),
      failed: paint("#451c1c", "#ff8a80", "#ffdad7"),
      waiting: paint("#443211", "#e0a33a", "#ffecc4"),
      skipped: paint("#1a1f27", "#444c58", "#79828f"),
    },
  },
};
