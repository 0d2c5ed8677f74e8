import * as Effect from "effect/Effect"
import { elapsedMillis } from "../domain/storedContainers.ts"
import { exitStatusOf } from "../behaviours/behaviour.ts"
import { isActive, isFinished } from "../domain/pods.ts"
import { isTerminating } from "../domain/ownerReferences.ts"
import { keyOf } from "../domain/objects.ts"
import { kubeletOf } from "../domain/nodeStatus.ts"
import { millisOf } from "../domain/durations.ts"
import { pullErrorDefault } from "../behaviours/builtIn.ts"
import { resources } from "../domain/kinds.ts"
import { verdictFor } from "../domain/podVerdicts.ts"
import { checkChoice, choosePods } from "./choosePods.ts"
import { FaultRefused } from "./faultWorld.ts"
import type { ContainerStatus, Pod } from "../domain/objects.ts"
import type { Affliction, Among } from "./afflictions.ts"
import type { Fault } from "./fault.ts"
import type { Beginnings, FaultNamed, FaultWorld } from "./faultWorld.ts"

type PodFaultName = "crash" | "fail" | "kill" | "flap" | "hang" | "slowStart" | "pullFails"

/** What happens to Pods: to their containers, their kubelet's patience, their images. */
export const podFaults: Beginnings<PodFaultName> = {
  crash: (fault, world) =>
    Effect.gen(function* () {
      const { exitCode, reason = "Error" } = fault
      const exit = exitStatusOf({
        after: "0s",
        ...(exitCode === undefined ? {} : { code: exitCode }),
        ...(exitCode === 0 ? {} : { reason })
      })
      const lasts = fault.for !== undefined
      const pods = yield* meet(fault, world, lasts ? isActive : (pod) => runningOf(pod).length > 0)
      for (const { pod, status } of runningIn(pods)) {
        const crash = { ...exit, ranMillis: ranMillis(status, world) }
        world.bodies.strike(pod, status.name, { run: status.restartCount, crash })
      }
      if (!lasts) return undefined
      return Effect.sync(world.bodies.afflict({ type: "crash", among: amongOf(fault, pods), ...exit }))
    }),
  fail: (fault, world) =>
    Effect.gen(function* () {
      const pods = yield* meet(fault, world, (pod) => isActive(pod) && isHeardOf(pod, world))
      const verdict = verdictFor(fault.reason ?? "Evicted")
      for (const pod of pods) world.bodies.condemn(pod, verdict)
      return undefined
    }),
  kill: (fault, world) =>
    Effect.gen(function* () {
      const { gracePeriodSeconds: seconds } = fault
      const pods = yield* meet(fault, world, (pod) => !isTerminating(pod))
      const grace = seconds === undefined ? {} : { gracePeriodSeconds: seconds }
      for (const pod of pods) {
        const request = { ...grace, preconditions: { uid: pod.metadata.uid } }
        yield* Effect.ignore(world.store.delete({ resource: resources.pods, key: keyOf(pod) }, request))
      }
      return undefined
    }),
  flap: (fault, world) =>
    Effect.gen(function* () {
      const readyMillis = millisOf(fault.ready, "ready")
      const unreadyMillis = millisOf(fault.unready, "unready")
      if (readyMillis === 0 && unreadyMillis === 0) {
        return yield* refused(fault, "ready and unready cannot both be 0: no time would ever pass")
      }
      const pods = yield* meet(fault, world, isActive)
      const among = amongOf(fault, pods)
      const isForDrawn = among.uids !== undefined && fault.for === undefined
      if (isForDrawn && pods.length === 0) return undefined
      const end = world.bodies.afflict({ type: "flap", among, readyMillis, unreadyMillis })
      if (!isForDrawn) return Effect.sync(end)
      const { stop } = awaitLast(pods, world, (pod) => !isFinished(pod), world.over)
      return Effect.sync(() => {
        stop()
        end()
      })
    }),
  // Who has neither a liveness nor a readiness probe hangs unnoticed.
  hang: (fault, world) =>
    Effect.gen(function* () {
      const pods = yield* meet(fault, world, (pod) => runningOf(pod).length > 0)
      if (pods.length === 0 && fault.for === undefined) return undefined
      const runs = new Map(pods.map((pod) => [pod.metadata.uid, runningOf(pod)]))
      for (const { pod, status } of runningIn(pods)) {
        const silentMillis = ranMillis(status, world)
        world.bodies.strike(pod, status.name, { run: status.restartCount, silentMillis })
      }
      const isLeft = ({ metadata, status }: Pod): boolean =>
        (runs.get(metadata.uid) ?? []).some(({ name, restartCount }) =>
          (status.containerStatuses ?? []).some(
            (it) => it.name === name && it.restartCount === restartCount && it.state?.running !== undefined
          )
        )
      const over = fault.for === undefined ? world.over : () => {}
      const { left, stop } = awaitLast(pods, world, isLeft, over)
      return Effect.sync(() => {
        stop()
        for (const pod of left.values()) {
          for (const { name, restartCount } of runs.get(pod.metadata.uid) ?? [])
            world.bodies.revive(pod, name, restartCount)
        }
      })
    }),
  slowStart: (fault, world) =>
    Effect.gen(function* () {
      const { by, pods: choice } = fault
      yield* checkChoice(world.view, fault.fault, choice)
      const before = new Set([...world.view.all(resources.pods)].map(({ metadata }) => metadata.uid))
      const among = { choice, before, met: new Set<string>(), isOver: false }
      const affliction: Affliction = { type: "slowStart", among, by, seed: world.seed }
      return Effect.sync(world.bodies.afflict(affliction))
    }),
  pullFails: ({ image, error = pullErrorDefault }, world) =>
    Effect.sync(() => Effect.sync(world.bodies.afflict({ type: "pullFails", image, error })))
}

const refused = ({ fault }: Fault, why: string): Effect.Effect<never, FaultRefused> =>
  Effect.fail(new FaultRefused({ fault, why }))

type ChoosingFault = FaultNamed<"crash" | "fail" | "kill" | "flap" | "hang">

/** Whom a fault meets as it begins, of those to whom it can do anything. */
const meet = (
  fault: ChoosingFault,
  { view, seed, kernel, met }: FaultWorld,
  among: (pod: Pod) => boolean
): Effect.Effect<ReadonlyArray<Pod>, FaultRefused> =>
  Effect.map(checkChoice(view, fault.fault, fault.pods), () => {
    const telling = [fault, kernel.nowMillis()]
    const pods = choosePods({ view, choice: fault.pods, among, seed, telling })
    met(pods.length)
    return pods
  })

/** Follows those that a fault has met, until none is left whom it concerns. */
const awaitLast = (
  pods: ReadonlyArray<Pod>,
  { view }: FaultWorld,
  isLeft: (pod: Pod) => boolean,
  over: () => void
): { readonly left: ReadonlyMap<string, Pod>; readonly stop: () => void } => {
  const left = new Map(pods.map((pod) => [pod.metadata.uid, pod]))
  const stop = view.subscribe(({ resource, type, object }) => {
    const { uid } = object.metadata
    if (resource !== resources.pods || !left.has(uid)) return
    if (type !== "DELETED" && isLeft(object as Pod)) return
    left.delete(uid)
    if (left.size === 0) over()
  })
  return { left, stop }
}

/** Those that were drawn; where all were meant, whoever fits at any time, be it made later. */
const amongOf = ({ pods: choice }: ChoosingFault, met: ReadonlyArray<Pod>): Among =>
  choice.count === undefined ? { choice } : { uids: new Set(met.map(({ metadata }) => metadata.uid)) }

/** The containers of a Pod that run and are to go on running; of one on its way out, none. */
const runningOf = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  isActive(pod)
    ? (pod.status.containerStatuses ?? []).filter(({ state }) => state?.running !== undefined)
    : []

const runningIn = (pods: ReadonlyArray<Pod>) =>
  pods.flatMap((pod) => runningOf(pod).map((status) => ({ pod, status })))

const ranMillis = (status: ContainerStatus, { kernel }: FaultWorld): number =>
  elapsedMillis(status, kernel.nowMillis())

/** Whether there is a kubelet that can give it up. */
const isHeardOf = ({ spec }: Pod, { view }: FaultWorld): boolean => {
  const node = spec.nodeName === undefined ? undefined : view.get(resources.nodes, spec.nodeName)
  return node !== undefined && kubeletOf(node) === "running"
}
