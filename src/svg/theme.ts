import type { Status } from "../compose/plan/picture/trace-marks.js";

/** The colors of a picture. */
export type PictureTheme = "light" | "dark";

export interface Paint {
  readonly fill: string;
  readonly line: string;
  readonly text: string;
}

/** The colors of a theme, by use. They are those of the viewer. */
export interface Colors {
  readonly background: string;
  readonly line: string;
  readonly taken: string;
  readonly error: string;
  readonly text: string;
  readonly faintText: string;
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
    background: "#faf9f6",
    line: "#958c7c",
    taken: "#3f7d5c",
    error: "#b02a20",
    text: "#5c574e",
    faintText: "#6d665b",
    box: paint("#fdfcfa", "#d3cdc0", "#1d1b18"),
    end: paint("#ffffff", "#d3cdc0", "#5c574e"),
    node: paint("#ffffff", "#d3cdc0", "#1d1b18"),
    components: {
      model: paint("#ffffff", "#aab3e6", "#3848b0"),
      tools_node: paint("#ffffff", "#9cc4ba", "#1c6a58"),
      retriever: paint("#ffffff", "#b7aee0", "#5a4aa8"),
    },
    statuses: {
      done: paint("#e8f4ec", "#7db595", "#1c7446"),
      failed: paint("#fcebe9", "#b02a20", "#b02a20"),
      waiting: paint("#fcf2dd", "#e6c27e", "#8f5200"),
      skipped: paint("#faf9f6", "#d3cdc0", "#6d665b"),
    },
  },
  dark: {
    background: "#131211",
    line: "#716b62",
    taken: "#4f9a74",
    error: "#f28b82",
    text: "#aca69b",
    faintText: "#8f897e",
    box: paint("#171615", "#47433d", "#eeebe5"),
    end: paint("#1a1917", "#47433d", "#aca69b"),
    node: paint("#1a1917", "#47433d", "#eeebe5"),
    components: {
      model: paint("#1a1917", "#4c5596", "#9aa7ff"),
      tools_node: paint("#1a1917", "#3a6358", "#7fd0b8"),
      retriever: paint("#1a1917", "#564d86", "#b9aaf5"),
    },
    statuses: {
      done: paint("#17271e", "#3d7456", "#66c794"),
      failed: paint("#321a18", "#f28b82", "#f28b82"),
      waiting: paint("#2b2213", "#6d5323", "#e8b15a"),
      skipped: paint("#131211", "#47433d", "#8f897e"),
    },
  },
};
