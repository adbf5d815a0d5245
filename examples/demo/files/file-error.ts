/** An error of the file system in words, naming the path as it was given; any other error as it is. */
export function fileError(error: unknown, path: string, kind: "" | "folder " = ""): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new Error(`There is no ${kind}"${path}".`, { cause: error });
    case "EACCES":
    case "EPERM":
      return new Error(`"${path}" cannot be read: permission denied.`, { cause: error });
    case "ELOOP":
      return new Error(`"${path}" is a symbolic link that leads in circles.`, { cause: error });
    case undefined:
      return error;
    default:
      return new Error(`"${path}" cannot be read: ${error.message}`, { cause: error });
  }
}

function codeOf(error: Error): unknown {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
