import { createRoot } from "react-dom/client";
import { Chat } from "./chat.js";
import { loadMessages } from "./chat-message.js";

// the id of the chat stands in the address, so that a reload, or a link, opens the same one
const address = new URL(location.href);
const id = address.searchParams.get("chat") ?? crypto.randomUUID();
address.searchParams.set("chat", id);
history.replaceState(null, "", address);

const root = createRoot(document.getElementById("root") ?? document.body);
try {
  root.render(<Chat id={id} messages={await loadMessages(id)} />);
} catch {
  root.render(
    <main className="unreachable">
      <p>The desk cannot be reached.</p>
      <a className="button primary" href={address.href}>
        Try again
      </a>
    </main>,
  );
}
