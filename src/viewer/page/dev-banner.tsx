/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import type { DevState } from "../api.js";
import { messageOf } from "./client.js";
import { SafeText } from "./parts/safe-text.js";
import { useLive, useSession } from "./session.js";

/** What `kumiko dev` says of the process in which the code of the user runs. What the page has stays. */
export function DevBanner() {
  const { client, about, say } = useSession();
  const [dev, setDev] = useState<DevState | undefined>(about.dev);
  useLive((event) => {
    if (event.type === "dev") setDev(event.state);
  });
  if (dev === undefined || (dev.status === "running" && !dev.hasChanged)) return null;
  const restart = (): void => {
    client.post("restart", {}).catch((error: unknown) => say(messageOf(error), true));
  };
  const isBroken = dev.status === "ended" || dev.status === "silent";
  return (
    <div class={`strip${isBroken ? " broken" : ""}`} role={isBroken ? "alert" : "status"}>
      <span>
        {wordsOf(dev)}
        {dev.message !== undefined && isBroken && (
          <>
            {" "}
            <SafeText text={dev.message} hasLinks={false} />
          </>
        )}
        {dev.place !== undefined && <code> {dev.place}</code>}
      </span>
      <span class="grow" />
      {dev.status !== "starting" && (
        <button type="button" class="btn sm" onClick={restart}>
          Restart
        </button>
      )}
    </div>
  );
}

function wordsOf({ status }: DevState): string {
  switch (status) {
    case "starting":
      return "The app is starting …";
    case "ended":
      return "The app has stopped. It starts again when a file changes.";
    case "silent":
      return "The app is not responding.";
    case "running":
      return "A file has changed. A restart ends the runs that are open.";
    default:
      return status satisfies never;
  }
}
