import * as Command from "effect/cli/Command"
import { chartCommand } from "./chart/chartCommand.ts"
import { clockCommand } from "./clock/clockCommand.ts"
import { dataCommand } from "./data/dataCommand.ts"
import { demoCommand } from "./demo/demoCommand.ts"
import { explainCommand } from "./explain/explainCommand.ts"
import { faultCommand } from "./fault/faultCommand.ts"
import { getCommand } from "./get/getCommand.ts"
import { measureCommand } from "./measure/measureCommand.ts"
import { planCommand } from "./plan/planCommand.ts"
import { recordCommand } from "./record/recordCommand.ts"
import { replayCommand } from "./replay/replayCommand.ts"
import { runCommand } from "./run/runCommand.ts"
import { snapshotCommand } from "./snapshot/snapshotCommand.ts"
import { steerCommand } from "./steer/steerCommand.ts"
import { upCommand } from "./up/upCommand.ts"
import { whyCommand } from "./why/whyCommand.ts"
import type { ExitCode } from "./terminal/exitCode.ts"

export const charthouseCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make("charthouse").pipe(
    Command.withDescription("The Kubernetes rollout control plane as statecharts, on a clock that is yours"),
    Command.withExamples([
      { command: "charthouse up", description: "Serve a cluster for kubectl" },
      { command: "charthouse demo", description: "Show a first rollout" },
      { command: "charthouse run -f web.yaml", description: "Roll out your own Deployment" },
      {
        command: "charthouse run story.yaml --seeds 1..100",
        description: "Play a story with a hundred seeds"
      }
    ]),
    Command.withSubcommands([
      upCommand(setExitCode),
      runCommand(setExitCode),
      planCommand(setExitCode),
      measureCommand(setExitCode),
      steerCommand(setExitCode),
      demoCommand(setExitCode),
      getCommand(setExitCode),
      chartCommand(setExitCode),
      explainCommand(setExitCode),
      clockCommand(setExitCode),
      faultCommand(setExitCode),
      snapshotCommand(setExitCode),
      dataCommand(setExitCode),
      whyCommand(setExitCode),
      recordCommand(setExitCode),
      replayCommand(setExitCode)
    ])
  )
