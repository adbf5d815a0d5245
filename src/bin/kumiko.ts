#!/usr/bin/env node
/** One file per command, so that a command loads nothing of the others. */
const [command, ...args] = process.argv.slice(2);

const usage = `Usage: kumiko <command>

  init [folder] [--template agent|chat] [--yes] [--install]
                  makes a project with an agent that answers at once, without a key
  dev [file.ts | trace.json] [--store runs.db | postgres://…]
                  shows the apps that a file exports, their runs and questions; or recorded runs; or a store alone
                  --port 4600, --host, --token, --prices file.json, --no-open, --can look | answer | act
`;

async function run(): Promise<number> {
  switch (command) {
    case "dev": {
      const { dev } = await import("./dev.js");
      return dev(args);
    }
    case "init": {
      const { init } = await import("./init.js");
      return init(args);
    }
    case undefined:
    case "help":
    case "--help":
    case "-h":
      process.stdout.write(usage);
      return 0;
    default:
      process.stderr.write(`Unknown command "${command}".\n\n${usage}`);
      return 1;
  }
}

process.exitCode = await run();
