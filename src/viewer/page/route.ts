import { useEffect, useState } from "preact/hooks";

/** Where the page is: kept in the fragment, so that the server serves one document. */
export type Route =
  | { readonly view: "inbox"; readonly question?: string | undefined }
  | { readonly view: "runs" }
  | { readonly view: "run"; readonly ref: string }
  | { readonly view: "apps" }
  | { readonly view: "app"; readonly key: string };

export function readRoute(hash: string): Route {
  const [view, id] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  if (view === "runs" && id !== undefined) return { view: "run", ref: id };
  if (view === "runs") return { view: "runs" };
  if (view === "apps") return id === undefined ? { view: "apps" } : { view: "app", key: id };
  return { view: "inbox", question: id };
}

export function addressOf(route: Route): string {
  switch (route.view) {
    case "run":
      return `#/runs/${encodeURIComponent(route.ref)}`;
    case "app":
      return `#/apps/${encodeURIComponent(route.key)}`;
    case "runs":
    case "apps":
      return `#/${route.view}`;
    default:
      return route.question === undefined ? "#/inbox" : `#/inbox/${encodeURIComponent(route.question)}`;
  }
}

export function go(route: Route): void {
  location.hash = addressOf(route);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const read = (): void => setRoute(readRoute(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return route;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
