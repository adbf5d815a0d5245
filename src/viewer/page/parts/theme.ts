import { useEffect, useState } from "preact/hooks";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark, as the machine is. */
export function applyTheme(): void {
  const apply = (): void => {
    document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  };
  apply();
  dark.addEventListener("change", apply);
}

/** For what has to be drawn again in other colors. */
export function useTheme(): string {
  const [isDark, setIsDark] = useState(dark.matches);
  useEffect(() => {
    const read = (): void => setIsDark(dark.matches);
    dark.addEventListener("change", read);
    return () => dark.removeEventListener("change", read);
  }, []);
  return isDark ? "dark" : "light";
}
