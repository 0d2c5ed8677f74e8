import * as Command from "effect/cli/Command"
import { chartCommand } from "./chartCommand.ts"
import { clockCommand } from "./clockCommand.ts"
import { demoCommand } from "./demoCommand.ts"
import { explainCommand } from "./explainCommand.ts"
import { faultCommand } from "./faultCommand.ts"
import { getCommand } from "./getCommand.ts"
import { planCommand } from "./planCommand.ts"
import { recordCommand } from "./recordCommand.ts"
import { replayCommand } from "./replayCommand.ts"
import { runCommand } from "./runCommand.ts"
import { snapshotCommand } from "./snapshotCommand.ts"
import { upCommand } from "./upCommand.ts"
import { whyCommand } from "./whyCommand.ts"
import type { ExitCode } from "./exitCode.ts"

/** All commands. `exit` receives the exit code of the command that ran. */
export const charthouseCommand = (exit: (code: ExitCode) => void) =>
  Command.make("charthouse").pipe(
    Command.withDescription("The Kubernetes rollout control plane as statecharts, on a clock that is yours"),
    Command.withExamples([
      { command: "charthouse up", description: "A cluster for kubectl" },
      { command: "charthouse demo", description: "See what this is" },
      { command: "charthouse run -f web.yaml", description: "Roll out a Deployment of yours" },
      {
        command: "charthouse run story.yaml --seeds 1..100",
        description: "Play a story, whatever goes wrong"
      }
    ]),
    Command.withSubcommands([
      upCommand(exit),
      runCommand(exit),
      planCommand(exit),
      demoCommand(exit),
      getCommand(exit),
      chartCommand(exit),
      explainCommand(exit),
      clockCommand(exit),
      faultCommand(exit),
      snapshotCommand(exit),
      whyCommand(exit),
      recordCommand(exit),
      replayCommand(exit)
    ])
  )
