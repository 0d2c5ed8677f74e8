import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { clusterNameFlagWithDefault, kubeconfigFlag } from "../flags/sharedFlags.ts"
import { getRolloutCommand } from "./getRolloutCommand.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const getCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make("get").pipe(
    Command.withDescription("Print a rollout as a tree, or the kubeconfig of a served cluster"),
    Command.withSubcommands([
      Command.make(
        "kubeconfig",
        { name: clusterNameFlagWithDefault, kubeconfig: kubeconfigFlag },
        Effect.fnUntraced(function* (flagValues) {
          const { printKubeconfig } = yield* Effect.promise(() => import("./printKubeconfig.ts"))
          setExitCode(
            printKubeconfig({ ...flagValues, kubeconfig: Option.getOrUndefined(flagValues.kubeconfig) })
          )
        })
      ).pipe(Command.withDescription("Print the kubeconfig of a served cluster")),
      getRolloutCommand(setExitCode)
    ])
  )
