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

/** What is asked for on the command line. */
export interface RunOptions {
  readonly files: ReadonlyArray<string>
  readonly clock: { readonly text: string; readonly setting: NonNullable<ClusterOptions["clock"]> }
  readonly seed: number
  readonly nodes: number
  readonly behaviour: string | undefined
  /** A live tree on a terminal and event lines in a pipe where it is left out. */
  readonly output: "tree" | "events" | "json" | undefined
  /** The port of the inspector, 0 for any; undefined where nobody inspects. */
  readonly inspectPort: number | undefined
  /** Who alone is inspected, with what they own, such as `deployment/web`; everybody where it is left out. */
  readonly inspectOnly?: string | undefined
  /** Waits for whoever opens the inspector's page before it begins, and for them to have looked at the end. */
  readonly attends?: boolean
  /** How fast a live tree goes. */
  readonly pace?: "default" | "slow"
  /** Whether the steps of all actors are kept from the beginning, for whoever asks why. */
  readonly why?: boolean
  /** Records it from the beginning, for the page. */
  readonly record?: RecordSettings
  /** `Name=false,...`, Kubernetes' feature gates; what a snapshot says, or the defaults, where they are left out. */
  readonly featureGates?: string | undefined
  /** What the cluster goes on from; an empty one where it is left out. */
  readonly from?: Snapshot | undefined
  /** Beside the built-in ones. */
  readonly own?: NonNullable<ClusterOptions["strategies"]>
}

export interface OpenedStage extends Stage {
  readonly show: Show
  readonly rollouts: Rollouts
  /** Keeps the inspector there for whoever still looks. */
  readonly linger: Effect.Effect<void>
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
  return yield* setStage(cluster, { ...options, linger: inspector?.linger ?? Effect.void })
})

/** What is shown of a cluster, from now on. */
export const setStage = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  options: Pick<RunOptions, "clock" | "seed" | "nodes" | "output" | "pace"> &
    Pick<OpenedStage, "linger"> & {
      /** What the times of all that is shown count from; now where it is left out. */
      readonly startMillis?: number
    }
): Effect.fn.Return<OpenedStage> {
  const { clock, seed, nodes, linger } = options
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
    // The time is asked for only where it is needed: most changes are of Pods.
    if (!isRolloutResource(change.resource)) return
    rollouts.see(change, cluster.nowMillis() - startMillis)
  })
  return {
    ...stage,
    show,
    rollouts,
    linger
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

/** On a terminal a run waits for whoever opens the inspector's page, since virtual time does not. */
export const attended = Effect.fnUntraced(function* (attends: boolean) {
  const waits = attends && isAttended()
  if (waits) yield* Effect.promise(() => pressEnter("press Enter to begin"))
  return { linger: waits ? Effect.promise(() => pressEnter("press Enter to end")) : Effect.void }
})
