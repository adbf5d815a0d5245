/** The page of the viewer as it is sent to browsers. */
export interface PageAssets {
  /** The script of the page that a server serves. */
  readonly page: string;
  /** The script of a saved run. */
  readonly player: string;
  /** The styles of both. */
  readonly style: string;
}

/**
 * The page, built. In the package this file has the result in it: `embedPageAssets` of `scripts/build/page-assets.ts`. From the
 * sources the page is built when it is asked for.
 */
export async function loadPageAssets(): Promise<PageAssets> {
  const builder = new URL("../../scripts/build/page-assets.ts", import.meta.url).href;
  const { buildPageAssets }: { buildPageAssets(): Promise<PageAssets> } = await import(/* @vite-ignore */ builder);
  return buildPageAssets();
}
