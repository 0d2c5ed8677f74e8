import * as Effect from "effect/Effect"
import { makeCluster } from "../cluster.ts"
import { gatesIn } from "./featureGatesInput.ts"
import { guardShow } from "./guardedShow.ts"
import { makeObserver } from "../runtime/observers.ts"
import { packageVersion } from "../packageRoot.ts"
import { eventsShow, jsonShow, treeShow } from "./shows.ts"
import { badInput } from "./badInput.ts"
import { openInspection } from "./inspectFlag.ts"
import { isRolloutResource, makeRollouts } from "./rollouts.ts"
import { timestampOf } from "../domain/timestamps.ts"
import { drawsFrames, isAttended, outputPalette, pressEnter, printData, printLines } from "./terminal.ts"
import type * as Scope from "effect/Scope"
import type { BadInput } from "./badInput.ts"
import type { Cluster } from "../cluster.ts"
import type { ClusterOptions } from "../clusterOptions.ts"
import type { Input } from "./input.ts"
import type { RecordSettings } from "../recording/recorder.ts"
import type { Rollouts } from "./rollouts.ts"
import type { Show, Stage } from "./shows.ts"
import type { Snapshot } from "../snapshots/snapshot.ts"

export interface RunOptions {
  readonly files: ReadonlyArray<string>
  readonly clock: { readonly text: string; readonly setting: NonNullable<ClusterOptions["clock"]> }
  readonly seed: number
  readonly nodes: number
  readonly behaviour: string | undefined
  /** By default a live tree on a terminal, and event lines in a pipe. */
  readonly output: "tree" | "events" | "json" | undefined
  /** 0 for any free port; undefined for no inspector. */
  readonly inspectPort: number | undefined
  /** Inspects only these objects and what they own, such as `deployment/web`. */
  readonly inspectOnly?: string | undefined
  /**
   * Whether to wait for Enter before the run begins and after it ends, so that the inspector's page can be opened.
   */
  readonly attends?: boolean
  readonly pace?: "default" | "slow"
  /** Whether to record the steps of all actors from the beginning, for `charthouse why`. */
  readonly why?: boolean
  readonly record?: RecordSettings
  /** `Name=false,...`; by default those of the snapshot, or Kubernetes' defaults. */
  readonly featureGates?: string | undefined
  /** The snapshot to restore; an empty cluster by default. */
  readonly from?: Snapshot | undefined
  /** Custom strategies, in addition to the built-in ones. */
  readonly own?: NonNullable<ClusterOptions["strategies"]>
}

export interface OpenedStage extends Stage {
  readonly show: Show
  readonly rollouts: Rollouts
  /** Waits until the user no longer needs the inspector. */
  readonly keepInspectorOpen: Effect.Effect<void>
}

export const openStage = Effect.fnUntraced(function* (
  options: RunOptions,
  input: Input
): Effect.fn.Return<OpenedStage, BadInput, Scope.Scope> {
  const { behaviour, behaviours } = input
  const { clock, seed, nodes, inspectPort, inspectOnly, from, attends = true } = options
  const inspection = inspectPort === undefined ? undefined : yield* openInspection(inspectPort, inspectOnly)
  const inspector = inspection === undefined ? undefined : { ...inspection, ...(yield* attended(attends)) }
  const cluster = yield* makeCluster({
    clock: clock.setting,
    seed,
    observerErrors: "report",
    ...(from === undefined
      ? { nodes, behaviours }
      : { from, ...(behaviours.length > 0 ? { behaviours } : {}) }),
    ...(behaviour === undefined ? {} : { behaviour }),
    ...(options.why === true ? { why: true } : {}),
    ...(options.record === undefined ? {} : { record: options.record }),
    ...(yield* gatesIn(options.featureGates)),
    ...(options.own === undefined ? {} : { strategies: options.own }),
    ...(inspector === undefined ? {} : { inspect: inspector.inspect })
  }).pipe(Effect.mapError(({ message }) => badInput(message)))
  inspector?.begin(cluster, input)
  return yield* setStage(cluster, {
    ...options,
    keepInspectorOpen: inspector?.keepInspectorOpen ?? Effect.void
  })
})

export const setStage = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  options: Pick<RunOptions, "clock" | "seed" | "nodes" | "output" | "pace"> &
    Pick<OpenedStage, "keepInspectorOpen"> & {
      /** Rendered times count from here; by default from now. */
      readonly startMillis?: number
    }
): Effect.fn.Return<OpenedStage> {
  const { clock, seed, nodes, keepInspectorOpen } = options
  const { startMillis = cluster.nowMillis() } = options
  const stage: Stage = {
    cluster,
    startMillis,
    setting: {
      version: packageVersion(),
      seed,
      clock: clock.text,
      nodes,
      startTime: timestampOf(startMillis)
    },
    palette: outputPalette(),
    print: (line) => printLines([line])
  }
  const observe = makeObserver("what shows the cluster")
  const show = guardShow(yield* chooseShow(stage, options, drawsFrames()), observe)
  const rollouts = makeRollouts({ view: cluster.view, tell: show.tell })
  cluster.onChange((change) => {
    // Most changes are of Pods, and reading the clock has a cost.
    if (!isRolloutResource(change.resource)) return
    rollouts.see(change, cluster.nowMillis() - startMillis)
  })
  return {
    ...stage,
    show,
    rollouts,
    keepInspectorOpen
  }
})

const chooseShow = (
  stage: Stage,
  { output, clock, pace = "default" }: Pick<RunOptions, "output" | "clock" | "pace">,
  isTerminal: boolean
): Effect.Effect<Show> => {
  if (output === "json")
    return Effect.succeed(jsonShow({ ...stage, print: (text) => printData(`${text}\n`) }))
  if (output === "events" || (output === undefined && !isTerminal)) return Effect.succeed(eventsShow(stage))
  if (!isTerminal) return Effect.succeed(treeShow(stage))
  return Effect.promise(async () => {
    const [{ liveShow, paces }, { openFrame }] = await Promise.all([
      import("./live.ts"),
      import("./frame.ts")
    ])
    return liveShow({
      ...stage,
      frame: openFrame(),
      isVirtual: clock.setting === "virtual",
      pace: paces[pace]
    })
  })
}

/** On a terminal, waits for Enter, since virtual time would be over before the inspector's page is open. */
export const attended = Effect.fnUntraced(function* (attends: boolean) {
  const isWaiting = attends && isAttended()
  if (isWaiting) yield* Effect.promise(() => pressEnter("press Enter to begin"))
  return {
    keepInspectorOpen: isWaiting ? Effect.promise(() => pressEnter("press Enter to end")) : Effect.void
  }
})
