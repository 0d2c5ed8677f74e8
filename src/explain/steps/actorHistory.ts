import { memoizeUpTo } from "../../kubernetes/meta/text/memoizeUpTo.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import type { AnyActorRef } from "xstate"
import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { WriteAttributes } from "../../store/interceptWrites.ts"
import type { RecordedActor, RecordedStep } from "./recordedStep.ts"
import type { StepWrite } from "./step.ts"

/** The oldest steps are dropped first. */
export interface StepLimits {
  /** Steps per actor; 50 by default. */
  readonly stepsMax?: number
  /** Steps of all actors of one kind, so that Pods do not displace their Deployment; 4,000 by default. */
  readonly kindMax?: number
  /** Stopped actors whose steps are kept; 500 by default. */
  readonly goneMax?: number
}

/** The writers of at least this many latest resource versions are known. */
const writersKept = 1000

export interface ActorHistory {
  readonly findOrAddActor: (identity: ActorIdentity) => RecordedActor
  /** Records an actor that another one has spawned. */
  readonly findOrAddChild: (
    parent: RecordedActor,
    identity: Pick<ActorIdentity, "ref" | "chart"> & { readonly id: string }
  ) => RecordedActor
  readonly findLiving: (uid: string) => RecordedActor | undefined
  /** The running actors, children after their parents. */
  readonly allLiving: () => ReadonlyArray<RecordedActor>
  readonly actorStopped: (uid: string) => void
  readonly add: (step: RecordedStep) => void
  readonly hasActor: (path: string) => boolean
  readonly stepsAt: (path: string) => ReadonlyArray<RecordedStep>
  readonly stepsSince: (number: number) => ReadonlyArray<RecordedStep>
  readonly recordWrite: (
    actor: RecordedActor,
    steps: ReadonlyArray<RecordedStep>,
    write: WriteAttributes,
    outcome: KubeObject | StoreError
  ) => void
  /** A client, or a controller without actors, wrote this version. */
  readonly recordWriter: (writer: string, resourceVersion: string) => void
  readonly writerOf: (resourceVersion: string) => string | undefined
}

interface ActorIdentity {
  readonly uid: string
  readonly key: Key
  readonly ref: AnyActorRef
  readonly chart: string
}

export const noSteps: ReadonlyArray<never> = Object.freeze([])
const noActors: ReadonlyArray<never> = noSteps

export const makeActorHistory = ({
  stepsMax = 50,
  kindMax = 4000,
  goneMax = 500
}: StepLimits): ActorHistory => {
  const livingActors = new Map<string, RecordedActor>()
  /** In the order in which they stopped. */
  const stoppedActors = new Set<RecordedActor>()
  const actorsByPath = new Map<string, ReadonlyArray<RecordedActor>>()
  const latestByChart = new Map<string, RingBuffer>()
  /** Names such as an actor's path, by resource version. */
  let [writers, olderWriters] = [new Map<string, string>(), new Map<string, string>()]

  const writerOf = (resourceVersion: string): string | undefined =>
    writers.get(resourceVersion) ?? olderWriters.get(resourceVersion)
  const setWriter = (resourceVersion: string, writer: string): void => {
    writers.set(resourceVersion, writer)
    if (writers.size > writersKept) [olderWriters, writers] = [writers, new Map()]
  }
  const register = (actor: RecordedActor): RecordedActor => {
    const earlier = actorsByPath.get(actor.path)
    // Unlike a spread, `concat` allocates no spare elements.
    actorsByPath.set(actor.path, earlier === undefined ? [actor] : earlier.concat(actor))
    return actor
  }
  const forget = (actor: RecordedActor): void => {
    stoppedActors.delete(actor)
    actor.steps.length = 0
    const otherActors = actorsByPath.get(actor.path)?.filter((it) => it !== actor) ?? []
    if (otherActors.length === 0) actorsByPath.delete(actor.path)
    else actorsByPath.set(actor.path, otherActors)
  }
  const markStopped = (actor: RecordedActor): void => {
    actor.children?.forEach(markStopped)
    if (actor.steps.length === 0) return forget(actor)
    stoppedActors.add(actor)
    for (const oldest of stoppedActors) {
      if (stoppedActors.size <= goneMax) return
      forget(oldest)
    }
  }

  return {
    findOrAddActor: ({ uid, key, ref, chart }) => {
      const existing = livingActors.get(uid)
      if (existing?.ref === ref) return existing
      const actor = register(makeRecordedActor({ uid, key, ref, chart }))
      livingActors.set(uid, actor)
      return actor
    },
    findOrAddChild: (parent, { id, ref, chart }) => {
      const existing = parent.children?.find((child) => child.ref.id === id)
      if (existing?.ref === ref) return existing
      // Unlike for an object's actor, `actorStopped` is not called for a child.
      if (existing !== undefined) markStopped(existing)
      const identity = { uid: `${parent.uid}/${id}`, key: `${parent.key}/${id}`, ref, chart }
      const child = register(makeRecordedActor(identity))
      if (existing !== undefined)
        parent.children = parent.children?.map((it) => (it === existing ? child : it))
      else parent.children = parent.children === undefined ? [child] : parent.children.concat(child)
      return child
    },
    findLiving: (uid) => livingActors.get(uid),
    allLiving: () => [...livingActors.values()].flatMap((actor) => [actor, ...(actor.children ?? noActors)]),
    actorStopped: (uid) => {
      const actor = livingActors.get(uid)
      livingActors.delete(uid)
      if (actor !== undefined) markStopped(actor)
    },
    add: (step) => {
      const { steps, chart } = step.actor
      steps.push(step)
      if (steps.length > stepsMax) steps.shift()
      let ring = latestByChart.get(chart)
      if (ring === undefined) latestByChart.set(chart, (ring = { slots: [], next: 0 }))
      const dropped = ring.slots[ring.next]
      ring.slots[ring.next] = step
      ring.next = (ring.next + 1) % kindMax
      // The actor's own limit may have dropped the step already.
      if (dropped !== undefined && dropped.actor.steps[0] === dropped) dropped.actor.steps.shift()
    },
    hasActor: (path) => actorsByPath.has(path),
    stepsAt: (path) =>
      [...(actorsByPath.get(path) ?? [])].flatMap(({ steps }) => steps).sort((a, b) => a.number - b.number),
    stepsSince: (number) =>
      [...latestByChart.values()]
        .flatMap((ring) => stepsAfter(ring, number))
        .sort((a, b) => a.number - b.number),
    recordWrite: ({ path: writer }, steps, { verb, resource, name }, outcome) => {
      if ("_tag" in outcome) {
        for (const step of steps) addWrite(step, { verb, resource, key: name, refused: outcome.message })
        return
      }
      const { resourceVersion } = outcome.metadata
      const isKnownVersion = writerOf(resourceVersion) !== undefined
      for (const step of steps) {
        // A write that changes nothing returns the version from before it.
        const isNewVersion = !isKnownVersion && Number(resourceVersion) > step.version
        const write = { verb, resource, key: objectKeyOf(outcome), resourceVersion }
        addWrite(step, isNewVersion ? write : { ...write, changedNothing: true })
      }
      // A later write with this version has changed nothing.
      if (!isKnownVersion) setWriter(resourceVersion, writer)
    },
    recordWriter: (writer, resourceVersion) => {
      if (writerOf(resourceVersion) === undefined) setWriter(resourceVersion, writer)
    },
    writerOf
  }
}

/** Most steps have one write: a literal with one element takes less memory than an array that grows. */
const addWrite = (step: RecordedStep, write: StepWrite): void => {
  if (step.writes.length === 0) step.writes = [write]
  else step.writes.push(write)
}

interface RingBuffer {
  readonly slots: Array<RecordedStep>
  /** The index of the slot that the next step takes. */
  next: number
}

const stepsAfter = ({ slots, next }: RingBuffer, number: number): ReadonlyArray<RecordedStep> => {
  const newerSteps: Array<RecordedStep> = []
  for (let offset = 1; offset <= slots.length; offset += 1) {
    const step = slots[(next - offset + slots.length) % slots.length]
    if (step === undefined || step.number <= number) break
    newerSteps.push(step)
  }
  return newerSteps
}

const kindOfChart = memoizeUpTo(100, (chart: string) => {
  const kind = chart.charAt(0).toUpperCase() + chart.slice(1)
  return { kind, pathStart: `${kind} ` }
})
const sharedNamespace = memoizeUpTo(1000, (namespace: string) => namespace)

/** The actor's name is its key without the namespace: `web-1/app` of `default/web-1/app`. */
const makeRecordedActor = ({ uid, key, ref, chart }: ActorIdentity): RecordedActor => {
  const { kind, pathStart } = kindOfChart(chart)
  const slash = kind === "Node" ? -1 : key.indexOf("/")
  return {
    uid,
    kind,
    namespace: slash < 0 ? undefined : sharedNamespace(key.slice(0, slash)),
    name: key.slice(slash + 1),
    chart,
    key,
    path: `${pathStart}${key}`,
    ref,
    steps: [],
    pendingSteps: noSteps,
    performingSteps: noSteps,
    children: undefined
  }
}
