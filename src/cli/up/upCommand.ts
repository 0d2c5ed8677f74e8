import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { refuseCommand } from "../terminal/exitCode.ts"
import {
  behaviourFlag,
  clusterNameFlagWithDefault,
  controllersFlag,
  dataFlag,
  durabilityFlag,
  historyFlag,
  featureGatesFlag,
  hostFlagWithDefault,
  inspectFlag,
  inspectedObjectsFlag,
  inspectPortFlag,
  inspectPortNeedsInspect,
  inspectPortOf,
  isInspectPortUnused,
  kubeconfigFlag,
  noTlsFlag,
  optionalPagePortFlag,
  pagePortNeedsTls,
  portFlagWithDefault,
  upClockFlag,
  treeOrEventsFlag,
  snapshotFlag,
  upFilesFlag,
  nodesFlag,
  seedFlag,
  strategiesFlag,
  tokenFileFlag,
  whyFlag
} from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const upCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "up",
    {
      files: upFilesFlag,
      name: clusterNameFlagWithDefault,
      host: hostFlagWithDefault,
      port: portFlagWithDefault,
      pagePort: optionalPagePortFlag,
      tokenFile: tokenFileFlag,
      noTls: noTlsFlag,
      why: whyFlag,
      kubeconfig: kubeconfigFlag,
      clock: upClockFlag,
      snapshot: snapshotFlag,
      data: dataFlag,
      durability: durabilityFlag,
      history: historyFlag,
      behaviour: behaviourFlag,
      strategies: strategiesFlag,
      featureGates: featureGatesFlag,
      controllers: controllersFlag,
      nodes: nodesFlag.pipe(Flag.optional),
      seed: seedFlag.pipe(Flag.optional),
      output: treeOrEventsFlag,
      inspect: inspectFlag,
      inspectOnly: inspectedObjectsFlag,
      inspectPort: inspectPortFlag
    },
    Effect.fnUntraced(function* (flagValues) {
      if (flagValues.noTls && Option.isSome(flagValues.pagePort))
        return setExitCode(refuseCommand(`error: ${pagePortNeedsTls}`))
      if (isInspectPortUnused(flagValues))
        return setExitCode(refuseCommand(`error: ${inspectPortNeedsInspect}`))
      for (const name of ["durability", "history"] as const) {
        if (Option.isSome(flagValues[name]) && Option.isNone(flagValues.data))
          return setExitCode(refuseCommand(`error: --${name} needs --data, the directory to write to`))
      }
      const { serveFiles } = yield* Effect.promise(() => import("./serveFiles.ts"))
      const code = yield* serveFiles({
        ...flagValues,
        clock: Option.getOrUndefined(flagValues.clock),
        data: Option.getOrUndefined(flagValues.data),
        durability: Option.getOrUndefined(flagValues.durability),
        history: Option.getOrUndefined(flagValues.history),
        pagePort: Option.getOrElse(flagValues.pagePort, () => 0),
        tokenFile: Option.getOrUndefined(flagValues.tokenFile),
        tls: !flagValues.noTls,
        snapshot: Option.getOrUndefined(flagValues.snapshot),
        strategies: Option.getOrUndefined(flagValues.strategies),
        featureGates: Option.getOrUndefined(flagValues.featureGates),
        controllers: Option.getOrUndefined(flagValues.controllers),
        nodes: Option.getOrUndefined(flagValues.nodes),
        seed: Option.getOrUndefined(flagValues.seed),
        kubeconfig: Option.getOrUndefined(flagValues.kubeconfig),
        behaviour: Option.getOrUndefined(flagValues.behaviour),
        output: Option.getOrUndefined(flagValues.output),
        inspectPort: inspectPortOf(flagValues),
        inspectOnly: Option.getOrUndefined(flagValues.inspectOnly)
      })
      setExitCode(code)
    })
  ).pipe(
    Command.withDescription(
      "Serve a cluster as a Kubernetes API, for kubectl and client libraries. " +
        "While it runs, charthouse-NAME is the current context of your kubeconfig. " +
        "Exits 0 when it is stopped by a signal, 2 when an argument is invalid"
    ),
    Command.withShortDescription("Serve a cluster to kubectl"),
    Command.withExamples([
      { command: "charthouse up", description: "An empty cluster" },
      {
        command: "charthouse up -f manifests/ --clock 60x",
        description: "Apply manifests, a minute each second"
      },
      { command: "charthouse up --snapshot world.json", description: "Continue from a snapshot" },
      {
        command: "charthouse up --data ~/cluster",
        description: "Keep the cluster, and go on with it next time"
      },
      {
        command: "charthouse up --page-port 8080 --token-file ~/.charthouse-token",
        description: "Serve the page at the same address each time"
      },
      {
        command: "charthouse up --inspect deployment/web",
        description: "Show its statecharts, and those of what it owns, in Stately's inspector"
      }
    ])
  )
