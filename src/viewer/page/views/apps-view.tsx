/** @jsxImportSource preact */
import { Icon, iconOf } from "../parts/icon.js";
import { SafeText } from "../parts/safe-text.js";
import { addressOf } from "../route.js";
import { useSession } from "../session.js";

/** The apps as a page: where there is no room for them beside it. */
export function AppsView() {
  const { about } = useSession();
  return (
    <>
      <header class="head">
        <h1>Apps</h1>
      </header>
      <ul class="page">
        {about.apps.map(({ key, component, error }) => (
          <li key={key}>
            <a class="q app-row" href={addressOf({ view: "app", key })}>
              <Icon name={iconOf(component)} />
              <SafeText text={key} hasLinks={false} />
              <span class="grow" />
              <span class={error === undefined ? "t3" : "failure"}>{error === undefined ? component : "error"}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
