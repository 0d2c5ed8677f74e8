import * as Effect from "effect/Effect"
import { makeClusterService } from "../../cluster/cluster.ts"
import { readFeatureGates } from "../input/readFeatureGates.ts"
import { catchRendererErrors } from "./catchRendererErrors.ts"
import { makeErrorCatcher } from "../../runtime/observers.ts"
import { packageVersion } from "../../generated/packageVersion.ts"
import { eventsRenderer, jsonRenderer, treeRenderer } from "./renderers.ts"
import { badInput } from "../input/badInput.ts"
import { openInspection } from "./openInspection.ts"
import { isRolloutResource, makeRolloutTracker } from "./rolloutTracker.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import {
  canDrawFrames,
  isInteractive,
  outputPalette,
  waitForEnter,
  printData,
  printLazily,
  printLines
} from "../terminal/terminal.ts"
import type * as Scope from "effect/Scope"
import type { BadInput } from "../input/badInput.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { ClusterData } from "../../cluster/data/clusterData.ts"
import type { ClusterOptions } from "../../cluster/clusterOptions.ts"
import { countNodes, readNodesArgument } from "../input/readNodesArgument.ts"
import type { NodesArgument } from "../flags/sharedFlags.ts"
import type { DecodedInput } from "../input/readInput.ts"
import type { RecordSettings } from "../../recording/clusterRecorder.ts"
import type { RolloutTracker } from "./rolloutTracker.ts"
import type { RunRenderer, RendererContext } from "./renderers.ts"
import type { Snapshot } from "../../cluster/snapshots/snapshot.ts"

export interface RunClock {
  readonly text: string
  readonly setting: NonNullable<ClusterOptions["clock"]>
}

export interface RunOptions {
  readonly files: ReadonlyArray<string>
  readonly clock: RunClock
  readonly seed: number
  readonly nodes: NodesArgument
  readonly behaviour: string | undefined
  readonly output: "tree" | "events" | "json" | undefined
  /** 0 for any free port; undefined for no inspector. */
  readonly inspectPort: number | undefined
  /** Inspects only these objects, such as `deployment/web`, and what they own. */
  readonly inspectOnly?: string | undefined
  /** Waits for Enter before and after the run, for the inspector's page. */
  readonly waitsForViewer?: boolean
  readonly pace?: "default" | "slow"
  readonly recordsSteps?: boolean
  readonly record?: RecordSettings
  readonly featureGates?: string | undefined
  readonly controllers?: ReadonlyArray<string> | undefined
  readonly from?: Snapshot | undefined
  /** The opened data directory; `from` is its saved cluster. */
  readonly data?: ClusterData | undefined
  /** How long `data` keeps changes: `1h`. */
  readonly history?: string | undefined
  readonly customStrategies?: Required<Pick<ClusterOptions, "strategies" | "steering">>
}

export interface RenderedCluster extends RendererContext {
  readonly renderer: RunRenderer
  readonly rolloutTracker: RolloutTracker
  readonly keepInspectorOpen: Effect.Effect<void>
}

export const openRenderedCluster = Effect.fnUntraced(function* (
  options: RunOptions,
  input: DecodedInput
): Effect.fn.Return<RenderedCluster, BadInput, Scope.Scope> {
  const { behaviour: defaultBehaviour, behaviours } = input
  const { clock, seed, inspectPort, inspectOnly, from, waitsForViewer = true } = options
  const nodes = yield* readNodesArgument(options.nodes)
  const inspection = inspectPort === undefined ? undefined : yield* openInspection(inspectPort, inspectOnly)
  const inspector =
    inspection === undefined ? undefined : { ...inspection, ...(yield* waitForViewer(waitsForViewer)) }
  const { data } = options
  const clusterOptions: ClusterOptions = {
    clock: clock.setting,
    seed,
    observerErrors: "report",
    ...(from === undefined
      ? { nodes, behaviours }
      : { from, ...(behaviours.length > 0 ? { behaviours } : {}) }),
    ...(defaultBehaviour === undefined ? {} : { behaviour: defaultBehaviour }),
    ...(options.recordsSteps === true ? { why: true } : {}),
    ...(options.record === undefined ? {} : { record: options.record }),
    ...(yield* readFeatureGates(options.featureGates)),
    ...(options.controllers === undefined ? {} : { controllers: options.controllers }),
    ...options.customStrategies,
    ...(inspector === undefined ? {} : { inspect: inspector.inspect }),
    ...(data === undefined ? {} : { data: data.directory }),
    ...(options.history === undefined ? {} : { history: options.history })
  }
  const cluster = yield* makeClusterService(clusterOptions, data).pipe(
    Effect.mapError(({ message }) => badInput(message))
  )
  inspector?.attachTo(cluster, input)
  return yield* renderCluster(cluster, {
    ...options,
    nodes: countNodes(nodes),
    keepInspectorOpen: inspector?.keepInspectorOpen ?? Effect.void
  })
})

export const renderCluster = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  options: Pick<RunOptions, "clock" | "seed" | "output" | "pace"> &
    Pick<RenderedCluster, "keepInspectorOpen"> & {
      readonly nodes: number
      /** Rendered times count from this time; by default from now. */
      readonly startMillis?: number
    }
): Effect.fn.Return<RenderedCluster> {
  const { clock, seed, nodes, keepInspectorOpen } = options
  const { startMillis = cluster.nowMillis() } = options
  const context: RendererContext = {
    cluster,
    startMillis,
    settings: {
      version: packageVersion,
      seed,
      clock: clock.text,
      nodes,
      startTime: timestampOf(startMillis)
    },
    palette: outputPalette(),
    print: (line) => printLines([line]),
    printLazily
  }
  const catchErrors = makeErrorCatcher("the output of the run")
  const renderer = catchRendererErrors(yield* chooseRenderer(context, options, canDrawFrames()), catchErrors)
  const rolloutTracker = makeRolloutTracker({
    view: cluster.view,
    nowMillis: cluster.nowMillis,
    onNews: renderer.onRolloutNews
  })
  cluster.onChange((change) => {
    // Most changes are of Pods, and reading the clock has a cost.
    if (!isRolloutResource(change.resource)) return
    rolloutTracker.onChange(change, cluster.nowMillis() - startMillis)
  })
  return {
    ...context,
    renderer,
    rolloutTracker,
    keepInspectorOpen
  }
})

const chooseRenderer = (
  context: RendererContext,
  { output, clock, pace = "default" }: Pick<RunOptions, "output" | "clock" | "pace">,
  isTerminal: boolean
): Effect.Effect<RunRenderer> => {
  if (output === "json")
    return Effect.succeed(jsonRenderer({ ...context, print: (text) => printData(`${text}\n`) }))
  if (output === "events" || (output === undefined && !isTerminal))
    return Effect.succeed(eventsRenderer(context))
  if (!isTerminal) return Effect.succeed(treeRenderer(context))
  return Effect.promise(async () => {
    const [{ liveRenderer, framePaces }, { openTerminalFrame }] = await Promise.all([
      import("./liveRenderer.ts"),
      import("../terminal/terminalFrame.ts")
    ])
    return liveRenderer({
      ...context,
      frame: openTerminalFrame(),
      isVirtual: clock.setting === "virtual",
      pace: framePaces[pace]
    })
  })
}

/** Virtual time would be over before the inspector's page is open. Waits only on a terminal. */
export const waitForViewer = Effect.fnUntraced(function* (waitsForViewer = true) {
  const isWaiting = waitsForViewer && isInteractive()
  if (isWaiting) yield* Effect.promise(() => waitForEnter("press Enter to begin"))
  return {
    keepInspectorOpen: isWaiting ? Effect.promise(() => waitForEnter("press Enter to end")) : Effect.void
  }
})
