import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import "./layout.css";
import "./palette.css";
import { returnFocusFromSearch } from "./return-focus.js";

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp() {
    if (typeof document !== "undefined") returnFocusFromSearch();
  },
};
export default theme;
