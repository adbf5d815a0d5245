/**
 * Returns a function that replaces the connection string and its password in a text. Messages of the driver and the server may
 * quote parts of a wrong connection string: a password with an unescaped `/` ends up in the name of the database.
 */
export function secretHider(connectionString: string | undefined): (text: string) => string {
  if (connectionString === undefined) return (text) => text;
  const secrets = [connectionString, ...passwordsIn(connectionString).flatMap(shapesOf)]
    .filter((secret) => secret !== "")
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}

/** The text between the first colon and the last @, and the password in the query. */
function passwordsIn(connectionString: string): string[] {
  const [, inside = ""] = /^[^:]*:\/\/[^:@]*:(.*)@/s.exec(connectionString) ?? [];
  const [, option = ""] = /[?&]password=([^&]*)/.exec(connectionString) ?? [];
  return [inside, option];
}

/** The password as written and decoded, and the parts into which a parser may split it. */
function shapesOf(password: string): string[] {
  const parts = password.split(/[/?#@:&=]/).filter((part) => part.length >= shortest);
  return [password, ...parts].flatMap((text) => [text, decoded(text)]);
}

/** Shorter parts of a password reveal little, and replacing them would garble every message. */
const shortest = 3;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
