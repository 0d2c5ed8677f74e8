import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { settingsFileName } from "../../plan/settings/settingsFileName.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const kubeconfig = Flag.String("kubeconfig").pipe(
  Flag.withMetavar("FILE|live"),
  Flag.withDescription(
    "The kubeconfig file of the cluster; by default, and with live, the one that kubectl uses"
  ),
  Flag.optional
)

const context = Flag.String("context").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The kubeconfig context to read from; the current one by default"),
  Flag.optional
)

const namespace = Flag.String("namespace").pipe(
  Flag.withAlias("n"),
  Flag.withDescription("The namespace whose Pods are measured; by default the context's"),
  Flag.optional
)

const allNamespaces = Flag.Boolean("all-namespaces").pipe(
  Flag.withAlias("A"),
  Flag.withDescription("Measure the Pods of all namespaces"),
  Flag.withDefault(false)
)

const settings = Flag.String("settings").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    `The file of PlanSettings that the times are written to, made if there is none; ${settingsFileName} by default`
  ),
  Flag.withDefault(settingsFileName)
)

export const measureCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "measure",
    { kubeconfig, context, namespace, allNamespaces, settings },
    Effect.fnUntraced(function* (flagValues) {
      const { measureCluster } = yield* Effect.promise(() => import("./measureCluster.ts"))
      const code = yield* measureCluster({
        ...flagValues,
        kubeconfig: Option.getOrUndefined(flagValues.kubeconfig),
        context: Option.getOrUndefined(flagValues.context),
        namespace: Option.getOrUndefined(flagValues.namespace)
      })
      setExitCode(code)
    })
  ).pipe(
    Command.withDescription(
      "Measure how long the containers of a cluster took to start and to become ready, from the conditions of its Pods " +
        `and its Events, and write the times by image into ${settingsFileName}, where charthouse plan reads them. ` +
        "Nothing is written to the cluster. Exits 0 when something was measured, 1 when no Pod could be, 2 when an " +
        "argument or the file is invalid"
    ),
    Command.withShortDescription("Measure how long Pods take to start, for plan"),
    Command.withExamples([
      { command: "charthouse measure", description: "Measure the Pods of the namespace that kubectl uses" },
      {
        command: "charthouse measure --kubeconfig prod.yaml --all-namespaces -f deploy/charthouse.yaml",
        description: "Measure all Pods of a cluster for the plans of a folder"
      }
    ])
  )
