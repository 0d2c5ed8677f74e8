import * as Effect from "effect/Effect"
import { memoizeUpTo } from "../kubernetes/meta/text/memoizeUpTo.ts"
import { makeEventCorrelation } from "../kubernetes/core/eventCorrelation.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { timestampOf } from "../kubernetes/meta/amounts/timestamps.ts"
import { afterControllersTurnOrder } from "../runtime/time/kernel.ts"
import { runInformer } from "../runtime/workers/informer.ts"
import { managerOfComponent } from "../kubernetes/apply/managedFields/fieldManagers.ts"
import { snapshotPartOfDelayedKey, makeMailbox } from "../runtime/workers/mailbox.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import { processMailbox } from "../runtime/workers/worker.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Scope } from "effect/Scope"
import type { RecordEvent } from "../kubernetes/apps/sharedCommands.ts"
import type { EventCorrelationState } from "../kubernetes/core/eventCorrelation.ts"
import type { EventObject, Key, KubeObject } from "../kubernetes/meta/objects.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { ClusterSnapshotParts } from "../runtime/snapshotParts.ts"
import type { SkipWrite } from "../store/memoryStore.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change, ClusterView, ObjectStore } from "../store/objectStore.ts"

export interface EventRecorder {
  readonly record: (options: {
    readonly component: string
    readonly host?: string
    readonly about: KubeObject
    readonly event: Omit<RecordEvent, "type">
  }) => Effect.Effect<unknown>
}

/** kube-apiserver's `--event-ttl`. */
export const eventLifetimeMillis = 3_600_000
const sweepIntervalMillis = 60_000
const sweepKey = "sweep"
/** Reasons of Events about what goes as planned, some six for each Pod. */
const routineReasons: ReadonlySet<string> = new Set([
  "Created",
  "Pulled",
  "Pulling",
  "ScalingReplicaSet",
  "Scheduled",
  "Started",
  "SuccessfulCreate"
])
const recorderOwner = "events"
/** The name of this part in the format of snapshots. */
const recorderPart = "said"

/**
 * The recorder also deletes Events after their time to live, as the API server's storage does.
 * Source: client-go/tools/record/event.go.
 */
export const makeEventRecorder = Effect.fnUntraced(function* (options: {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly kernel: Kernel
  readonly snapshotParts?: ClusterSnapshotParts | undefined
  /** Called instead of the write of a routine Event. */
  readonly skipRoutineEvent?: SkipWrite | undefined
}): Effect.fn.Return<EventRecorder, never, Scope> {
  const { store, kernel, skipRoutineEvent } = options
  const snapshotParts = options.snapshotParts?.forOwner(recorderOwner) ?? noSnapshotParts
  const { nowMillis } = kernel
  const correlation = makeEventCorrelation()
  /** When each Event expires, the earliest first. */
  const expiryMillis = new Map<Key, number>()
  let sequence = 0

  const sweep = Effect.fnUntraced(function* () {
    for (const [key, atMillis] of expiryMillis) {
      if (atMillis > nowMillis()) return
      expiryMillis.delete(key)
      yield* Effect.ignore(store.delete({ resource: resources.events, key }))
    }
  })
  snapshotParts.registerPart<EventRecorderState>(recorderPart, {
    save: () => ({ said: correlation.save(), expiring: [...expiryMillis], sequence }),
    restore: (state) => {
      correlation.restore(state.said)
      for (const [key, atMillis] of state.expiring) expiryMillis.set(key, atMillis)
      sequence = state.sequence
    }
  })
  const sweepQueue = yield* makeMailbox({ kernel, turnOrder: afterControllersTurnOrder, snapshotParts })
  const planSweep = (): void => {
    const [firstExpiry] = expiryMillis.values()
    if (firstExpiry === undefined) return
    const sweepMillis = Math.ceil(firstExpiry / sweepIntervalMillis) * sweepIntervalMillis
    sweepQueue.offerAfter(sweepKey, sweepMillis - nowMillis())
  }
  yield* processMailbox({
    mailbox: sweepQueue,
    attempt: () => Effect.tap(sweep(), () => Effect.sync(planSweep)),
    snapshotParts
  })
  const onEvent = ({ type, object }: Change): void => {
    const key = objectKeyOf(object)
    const hadNoEvents = expiryMillis.size === 0
    if (type !== "ADDED") expiryMillis.delete(key)
    if (type === "DELETED") return
    expiryMillis.set(key, nowMillis() + eventLifetimeMillis)
    if (hadNoEvents) planSweep()
  }
  yield* runInformer({ view: options.view, snapshotParts }, onEvent, { resources: [resources.events] })

  const countInEvent = (
    {
      key,
      message,
      timestamp
    }: { readonly key: string; readonly message: string; readonly timestamp: string },
    writer: { readonly manager: string }
  ): Effect.Effect<KubeObject, StoreError> =>
    store.modify(
      { resource: resources.events, key },
      (object) => {
        const event = object as EventObject
        return { ...event, message, count: (event.count ?? 1) + 1, lastTimestamp: timestamp } as EventObject
      },
      writer
    )

  const record: EventRecorder["record"] = ({ component, host, about, event }) =>
    Effect.suspend(() => {
      const recordedMillis = nowMillis()
      const source = `${component} ${about.metadata.uid}`
      const typeAndReason = `${event.reason} ${event.eventType}`
      const { fieldPath = "", message: ownMessage } = event
      const correlatedEvent = correlation.correlate(
        { source, typeAndReason, fieldPath, message: ownMessage },
        recordedMillis
      )
      if (correlatedEvent.type === "drop") return Effect.void
      const { message, existingName, rememberEventName } = correlatedEvent
      if (skipRoutineEvent !== undefined && routineReasons.has(event.reason)) {
        const isNew = existingName === undefined
        skipRoutineEvent({ isCreation: isNew })
        if (isNew) {
          sequence += 1
          // No Event is written: any name makes the next occurrence count as a repetition.
          rememberEventName(event.reason)
        }
        return Effect.void
      }
      const timestamp = timestampOf(recordedMillis)
      const writer = { manager: managerOfComponent(component) }
      const create = (): Effect.Effect<KubeObject, StoreError> => {
        const namespace = about.metadata.namespace ?? "default"
        sequence += 1
        const name = eventName(about.metadata.name, recordedMillis, sequence)
        const key = `${namespace}/${name}`
        // Later occurrences are counted in this Event.
        rememberEventName(key)
        return store.create(
          eventObject({ name, namespace, message, timestamp, component, host, about, event }),
          writer
        )
      }
      const write =
        existingName === undefined
          ? create()
          : Effect.catch(countInEvent({ key: existingName, message, timestamp }, writer), create)
      // An Event that is refused is lost.
      return Effect.catch(write, () => Effect.void)
    })
  return { record }
})

/** For a snapshot that is made from stored Events alone. */
export const snapshotPartsOfEvents = (
  expiring: ReadonlyMap<Key, number>,
  { version, nowMillis }: { readonly version: number; readonly nowMillis: number }
): readonly [owner: string, parts: ReadonlyMap<string, unknown>] => {
  const state: EventRecorderState = {
    said: new Map(),
    expiring,
    // At least the number of Events made so far, so that new names differ from theirs.
    sequence: version
  }
  const parts = new Map<string, unknown>([
    [recorderPart, state],
    snapshotPartOfDelayedKey(sweepKey, nowMillis + sweepIntervalMillis, afterControllersTurnOrder)
  ])
  return [recorderOwner, parts]
}

interface EventRecorderState {
  /** The Events written before, with their names. */
  readonly said: EventCorrelationState
  /** In the order in which the Events expire, with the time in Unix milliseconds. */
  readonly expiring: Iterable<readonly [Key, number]>
  /** How many Events were created: names stay unique within a millisecond. */
  readonly sequence: number
}

const eventName = (name: string, millis: number, sequence: number): string => {
  const nanos = BigInt(Math.floor(millis)) * 1_000_000n + BigInt(sequence % 1_000_000)
  return `${name}.${nanos.toString(16)}`
}

/** Events share their source, since each Event takes memory for an hour. */
const sourceOf = memoizeUpTo(100, (component: string) =>
  memoizeUpTo(1000, (host: string | undefined) =>
    Object.freeze({ component, ...(host === undefined ? {} : { host }) })
  )
)

const eventObject = (options: {
  readonly name: string
  readonly namespace: string
  readonly message: string
  readonly timestamp: string
  readonly component: string
  readonly host: string | undefined
  readonly about: KubeObject
  readonly event: Omit<RecordEvent, "type">
}) => {
  const { about, component, host, event, timestamp } = options
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: options.name, namespace: options.namespace },
    involvedObject: involvedObjectOf(about, event.fieldPath),
    reason: event.reason,
    message: options.message,
    type: event.eventType,
    source: sourceOf(component)(host),
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
    count: 1,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: host ?? ""
  }
}

/** Most Events are about an object in a namespace. Literals without spreads cost a quarter of those with spreads. */
const involvedObjectOf = (
  { kind, apiVersion, metadata }: KubeObject,
  fieldPath: string | undefined
): Core.ObjectReference => {
  const { name, namespace, uid, resourceVersion } = metadata
  if (namespace === undefined) {
    const reference = { kind, name, uid, apiVersion, resourceVersion }
    return fieldPath === undefined ? reference : { ...reference, fieldPath }
  }
  return fieldPath === undefined
    ? { kind, namespace, name, uid, apiVersion, resourceVersion }
    : { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath }
}
