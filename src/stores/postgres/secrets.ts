/**
 * Takes the connection string and the password in it out of a text. What is wrong with a connection string may show in
 * the messages of the driver and the server: a password with an unescaped `/` ends up in the name of the database.
 */
export function secretHider(connectionString: string | undefined): (text: string) => string {
  if (connectionString === undefined) return (text) => text;
  const secrets = [connectionString, ...passwordsIn(connectionString).flatMap(shapesOf)]
    .filter((secret) => secret !== "")
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}

/** Between the first colon and the last @, and in the query. */
function passwordsIn(connectionString: string): string[] {
  const [, inside = ""] = /^[^:]*:\/\/[^:@]*:(.*)@/s.exec(connectionString) ?? [];
  const [, option = ""] = /[?&]password=([^&]*)/.exec(connectionString) ?? [];
  return [inside, option];
}

/** As it stands, decoded, and the parts that a wrong reading makes of it. */
function shapesOf(password: string): string[] {
  const parts = password.split(/[/?#@:&=]/).filter((part) => part.length >= shortest);
  return [password, ...parts].flatMap((text) => [text, decoded(text)]);
}

/** Shorter parts of a password tell little, and would make holes in every message. */
const shortest = 3;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
