import * as Effect from "effect/Effect"
import { InvalidOptions } from "../../options/invalidOptions.ts"
import { runOnTimeline } from "../../runtime/time/timelineWaits.ts"
import type { ClusterData, Durability } from "./clusterData.ts"
import type { ClusterOptions } from "../clusterOptions.ts"
import type { ClusterCore } from "../clusterCore.ts"
import type { TimelineFaults } from "../../faults/activeFaults.ts"
import type { FaultGiven } from "../../faults/fault.ts"
import type { Scope } from "effect/Scope"

export const openData = Effect.fnUntraced(function* (
  given: ClusterOptions,
  openedData: ClusterData | undefined
): Effect.fn.Return<
  { readonly clusterData: ClusterData; readonly options: ClusterOptions } | undefined,
  InvalidOptions,
  Scope
> {
  const { data: directory, durability: level, history } = given
  if (directory === undefined) {
    const optionsForData = Object.entries({ durability: level, history }).filter(
      ([, value]) => value !== undefined
    )
    if (optionsForData.length === 0) return undefined
    const problems = optionsForData.map(([name]) => `${name} needs data, the directory to write to`)
    return yield* new InvalidOptions({ problems })
  }
  // Values of other types are refused later, by `checkClusterOptions`.
  if (level === "off" || typeof directory !== "string" || directory === "") return undefined
  // Loaded here, so that clusters in memory never load it.
  const { openClusterData } = yield* Effect.promise(() => import("./clusterData.ts"))
  const clusterData =
    openedData ??
    (yield* openClusterData(directory, level === undefined ? {} : { level }).pipe(
      Effect.mapError(({ message }) => new InvalidOptions({ problems: [message] }))
    ))
  yield* Effect.addFinalizer(() => Effect.sync(clusterData.close))
  if (clusterData.snapshot === undefined) return { clusterData, options: given }
  if (given.from !== undefined && given.from !== clusterData.snapshot) {
    return yield* new InvalidOptions({
      problems: [`a snapshot can only be imported into a new directory, and ${directory} keeps a cluster`]
    })
  }
  const clock =
    clusterData.speed === 0 ? "virtual" : clusterData.speed === 1 ? "real" : { speed: clusterData.speed }
  return { clusterData, options: { ...given, clock: given.clock ?? clock, from: clusterData.snapshot } }
})

/** Begins the stored faults anew, for the rest of their time, and stores the cluster from now on. */
export const keepData = Effect.fnUntraced(function* (
  clusterData: ClusterData,
  { timeline, storage, settings, checkedOptions }: ClusterCore,
  faults: TimelineFaults
): Effect.fn.Return<Durability> {
  const { kernel, speed } = timeline
  for (const { fault, endsMillis } of clusterData.faults) {
    const remainingTime = endsMillis === undefined ? {} : { for: endsMillis - kernel.nowMillis() }
    if (remainingTime.for !== undefined && remainingTime.for <= 0) continue
    const beginning = faults.begin({ ...fault, ...remainingTime } as FaultGiven as Parameters<
      TimelineFaults["begin"]
    >[0])
    // The objects of the fault may be gone: then the fault has ended.
    yield* runOnTimeline(timeline, Effect.ignore(beginning))
  }
  const durability = clusterData.keepCluster({
    settings,
    tables: storage.durableParts.tables,
    version: storage.view.version(),
    oldestVersion: storage.durableParts.oldestVersion,
    historyMillis: checkedOptions.historyMillis,
    nowMillis: kernel.nowMillis,
    speed,
    subscribe: storage.view.subscribe
  })
  const storeFaults = (): void =>
    durability.setFaults(faults.active().map(({ fault, endsMillis }) => ({ fault, endsMillis })))
  storeFaults()
  // A fault is announced before it is active.
  faults.onFaultChange(() => queueMicrotask(storeFaults))
  durability.commit()
  return durability
})
