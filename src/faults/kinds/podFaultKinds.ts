import * as Effect from "effect/Effect"
import { millisSinceStartOrExit } from "../../kubernetes/pods/containers/storedContainers.ts"
import { exitStatusOf } from "../../behaviours/behaviour.ts"
import { allContainerStatuses, isPodActive, isPodFinished } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { isKubeletRunning } from "../../kubernetes/core/nodeStatus.ts"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import { defaultPullError } from "../../behaviours/builtInBehaviours.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { kubeletEndingFor } from "../../kubernetes/pods/kubeletEndings.ts"
import { isUnpullable } from "../pods/lastingPodFaults.ts"
import { checkChoice, choosePods } from "../pods/choosePods.ts"
import { delayText, podsText } from "../pods/podsText.ts"
import { namedPodOf } from "../pods/podFaults.ts"
import { lastingKind } from "../faultKind.ts"
import { FaultRefused } from "../faultRefused.ts"
import type { ContainerStatus, Pod } from "../../kubernetes/meta/objects.ts"
import type { LastingPodFault, AffectedPods } from "../pods/lastingPodFaults.ts"
import type { Fault } from "../fault.ts"
import type { NamedPod } from "../pods/podFaults.ts"
import type { FaultKinds, FaultNamed, FaultContext, FaultEffect } from "../faultKind.ts"
import type { PodFaultTypes } from "../schemas/podFaultSchemas.ts"

/** The number of a lasting fault in `PodFaults`. */
interface LastingState {
  readonly affliction: number
}

const beginLastingFault = ({ podFaults }: FaultContext, podFault: LastingPodFault): LastingState => ({
  affliction: podFaults.beginLastingFault(podFault)
})

const makeLastingEffect = (
  _fault: object,
  { podFaults }: FaultContext,
  { affliction }: LastingState
): FaultEffect => ({
  end: Effect.sync(() => podFaults.endLastingFault(affliction))
})

interface HangingPod extends NamedPod {
  readonly runs: ReadonlyArray<{ readonly name: string; readonly run: number }>
}

const isStillHanging = ({ status }: Pod, { runs }: HangingPod): boolean =>
  runs.some(({ name, run }) =>
    (status.containerStatuses ?? []).some(
      (status) => status.name === name && status.restartCount === run && status.state?.running !== undefined
    )
  )

export const podFaultKinds: FaultKinds<keyof PodFaultTypes> = {
  crash: lastingKind({
    text: ({ pods, exitCode, reason }) => {
      const [who, isPlural] = podsText(pods)
      const code = exitCode === undefined ? "" : ` with exit code ${exitCode}`
      const how = reason === "OOMKilled" ? (isPlural ? "run out of memory" : "runs out of memory") : undefined
      return `${who} ${how ?? (isPlural ? "crash" : "crashes")}${code}`
    },
    affects: "pods",
    begin: (fault, context) =>
      Effect.gen(function* () {
        const { exitCode, reason = "Error" } = fault
        const exit = exitStatusOf({
          after: "0s",
          ...(exitCode === undefined ? {} : { code: exitCode }),
          ...(exitCode === 0 ? {} : { reason })
        })
        const hasDuration = fault.for !== undefined
        const pods = yield* chooseAffectedPods(
          fault,
          context,
          hasDuration ? isPodActive : (pod) => runningContainersOf(pod).length > 0
        )
        for (const { pod, status } of runningContainersIn(pods)) {
          const crash = { ...exit, ranMillis: runningMillis(status, context) }
          context.podFaults.addRunFault(pod, status.name, { run: status.restartCount, crash })
        }
        if (!hasDuration) return undefined
        return beginLastingFault(context, { type: "crash", among: affectedPodsOf(fault, pods), ...exit })
      }),
    makeLasting: makeLastingEffect
  }),
  fail: {
    text: ({ pods, reason = "Evicted" }) => {
      const [who, isPlural] = podsText(pods)
      return `${who} ${isPlural ? "fail" : "fails"} (${reason})`
    },
    affects: "pods",
    begin: (fault, context) =>
      Effect.map(
        chooseAffectedPods(fault, context, (pod) => isPodActive(pod) && hasRunningKubelet(pod, context)),
        (pods) => {
          const ending = kubeletEndingFor(fault.reason ?? "Evicted")
          for (const pod of pods) context.podFaults.failPod(pod, ending)
        }
      )
  },
  kill: {
    text: ({ pods, gracePeriodSeconds: seconds }) => {
      const [who, isPlural] = podsText(pods)
      const grace = seconds === undefined ? "" : ` with ${seconds}s of grace`
      return `${who} ${isPlural ? "are" : "is"} deleted${grace}`
    },
    affects: "pods",
    deletes: () => true,
    begin: (fault, context) =>
      Effect.gen(function* () {
        const { gracePeriodSeconds: seconds } = fault
        const pods = yield* chooseAffectedPods(fault, context, (pod) => !isTerminating(pod))
        const grace = seconds === undefined ? {} : { gracePeriodSeconds: seconds }
        for (const pod of pods) {
          const request = { ...grace, preconditions: { uid: pod.metadata.uid } }
          yield* Effect.ignore(
            context.store.delete({ resource: resources.pods, key: objectKeyOf(pod) }, request)
          )
        }
      })
  },
  // Without `for`, a flap of drawn Pods ends with the last of these Pods.
  flap: lastingKind({
    text: ({ pods, ready, unready }) => {
      const [who, isPlural] = podsText(pods)
      return `${who} ${isPlural ? "flap" : "flaps"} (${ready} ready, ${unready} unready)`
    },
    affects: "pods",
    neverSettles: true,
    begin: (fault, context) =>
      Effect.gen(function* () {
        const readyMillis = toDurationMillis(fault.ready, "ready")
        const unreadyMillis = toDurationMillis(fault.unready, "unready")
        if (readyMillis === 0 && unreadyMillis === 0) {
          return yield* refuseFault(fault, "ready and unready cannot both be 0: no time would ever pass")
        }
        const pods = yield* chooseAffectedPods(fault, context, isPodActive)
        const among = affectedPodsOf(fault, pods)
        const isForDrawnPods = among.uids !== undefined && fault.for === undefined
        if (isForDrawnPods && pods.length === 0) return undefined
        const { affliction } = beginLastingFault(context, { type: "flap", among, readyMillis, unreadyMillis })
        return { affliction, ...(isForDrawnPods ? { left: pods.map(namedPodOf) } : {}) }
      }),
    makeLasting: (_fault, context, { affliction, left: drawnPods }) => {
      const endFlapping = () => context.podFaults.endLastingFault(affliction)
      if (drawnPods === undefined) return { end: Effect.sync(endFlapping) }
      const { podsLeft, stop } = watchRemaining(drawnPods, context, {
        isLeft: (pod) => !isPodFinished(pod),
        onNoneLeft: context.endThisFault
      })
      const end = Effect.sync(() => {
        stop()
        endFlapping()
      })
      return { end, save: () => ({ affliction, left: podsLeft() }) }
    }
  }),
  // Only a liveness or readiness probe notices a hang.
  hang: lastingKind({
    text: ({ pods }) => {
      const [who, isPlural] = podsText(pods)
      return `${who} ${isPlural ? "hang" : "hangs"}`
    },
    affects: "pods",
    begin: (fault, context) =>
      Effect.gen(function* () {
        const pods = yield* chooseAffectedPods(fault, context, (pod) => runningContainersOf(pod).length > 0)
        if (pods.length === 0 && fault.for === undefined) return undefined
        for (const { pod, status } of runningContainersIn(pods)) {
          // The container hangs from now on: this long after the run's start.
          const silentMillis = runningMillis(status, context)
          context.podFaults.addRunFault(pod, status.name, { run: status.restartCount, silentMillis })
        }
        return pods.map((pod): HangingPod => {
          const runs = runningContainersOf(pod).map(({ name, restartCount: run }) => ({ name, run }))
          return { ...namedPodOf(pod), runs }
        })
      }),
    makeLasting: (fault, context, hanging) => {
      const onNoneLeft = fault.for === undefined ? context.endThisFault : () => {}
      const { podsLeft, stop } = watchRemaining(hanging, context, { isLeft: isStillHanging, onNoneLeft })
      const end = Effect.sync(() => {
        stop()
        for (const pod of podsLeft())
          for (const { name, run } of pod.runs) context.podFaults.endHang(pod, name, run)
      })
      return { end, save: podsLeft }
    }
  }),
  slowStart: lastingKind({
    text: ({ pods, by }) => {
      const [who, isPlural] = podsText(pods, "new ")
      return `${who} ${isPlural ? "take" : "takes"} ${delayText(by)} longer to start`
    },
    affects: "laterPods",
    begin: (fault, context) => {
      const { by, pods: choice } = fault
      return Effect.map(checkChoice(context.view, fault.fault, choice), () => {
        const before = new Set([...context.view.all(resources.pods)].map(({ metadata }) => metadata.uid))
        // `met`: uids of the new Pods that match.
        const among = { choice, before, met: new Set<string>(), isOver: false }
        return beginLastingFault(context, { type: "slowStart", among, by, seed: context.seed })
      })
    },
    makeLasting: (fault, context, state) => ({
      ...makeLastingEffect(fault, context, state),
      affectedCount: () => context.podFaults.slowStartCount(state.affliction)
    })
  }),
  pullFails: lastingKind({
    text: ({ image, error }) => `images ${image} cannot be pulled${error === undefined ? "" : `: ${error}`}`,
    affects: "laterPods",
    begin: ({ image, error = defaultPullError }, context) =>
      Effect.sync((): PullFailureState => ({
        ...beginLastingFault(context, { type: "pullFails", image, error }),
        met: []
      })),
    makeLasting: (fault, context, { affliction, met: earlierUids }) => {
      const { failedUids, stop } = watchFailedPulls(fault.image, context, earlierUids)
      const { end } = makeLastingEffect(fault, context, { affliction })
      return {
        end: Effect.andThen(Effect.sync(stop), end),
        affectedCount: () => failedUids.size,
        save: (): PullFailureState => ({ affliction, met: [...failedUids] })
      }
    }
  })
}

interface PullFailureState extends LastingState {
  /** Uids of Pods with failed pulls. */
  readonly met: ReadonlyArray<string>
}

const watchFailedPulls = (
  image: string,
  { view }: FaultContext,
  earlierUids: ReadonlyArray<string>
): { readonly failedUids: ReadonlySet<string>; readonly stop: () => void } => {
  const failedUids = new Set(earlierUids)
  const stop = view.subscribe(({ resource, object }) => {
    if (resource === resources.pods && hasFailedToPull(object as Pod, image))
      failedUids.add(object.metadata.uid)
  })
  return { failedUids, stop }
}

const hasFailedToPull = ({ spec, status }: Pod, image: string): boolean => {
  const failed = allContainerStatuses({ status }).filter(
    ({ state }) => state?.waiting?.reason === "ErrImagePull"
  )
  if (failed.length === 0) return false
  const containers = [...(spec.initContainers ?? []), ...spec.containers]
  return containers.some(
    (container) => isUnpullable(image, container) && failed.some(({ name }) => name === container.name)
  )
}

const refuseFault = ({ fault }: Fault, why: string): Effect.Effect<never, FaultRefused> =>
  Effect.fail(new FaultRefused({ fault, why }))

type ChoosingFault = FaultNamed<"crash" | "fail" | "kill" | "flap" | "hang">

const chooseAffectedPods = (
  fault: ChoosingFault,
  { view, seed, kernel, reportAffectedPods }: FaultContext,
  canAffect: (pod: Pod) => boolean
): Effect.Effect<ReadonlyArray<Pod>, FaultRefused> =>
  Effect.map(checkChoice(view, fault.fault, fault.pods), () => {
    const randomPurpose = [fault, kernel.nowMillis()]
    const pods = choosePods({ view, choice: fault.pods, canAffect, seed, randomPurpose })
    reportAffectedPods(pods.length)
    return pods
  })

const watchRemaining = <Affected extends NamedPod>(
  affectedPods: ReadonlyArray<Affected>,
  { view }: FaultContext,
  {
    isLeft,
    onNoneLeft
  }: { readonly isLeft: (pod: Pod, affected: Affected) => boolean; readonly onNoneLeft: () => void }
): { readonly podsLeft: () => ReadonlyArray<Affected>; readonly stop: () => void } => {
  const remaining = new Map(affectedPods.map((pod) => [pod.uid, pod]))
  const stop = view.subscribe(({ resource, type, object }) => {
    const { uid } = object.metadata
    const pod = resource === resources.pods ? remaining.get(uid) : undefined
    if (pod === undefined || (type !== "DELETED" && isLeft(object as Pod, pod))) return
    remaining.delete(uid)
    if (remaining.size === 0) onNoneLeft()
  })
  return { podsLeft: () => [...remaining.values()], stop }
}

/** Without `count`, later Pods that match are affected, too. */
const affectedPodsOf = ({ pods: choice }: ChoosingFault, pods: ReadonlyArray<Pod>): AffectedPods =>
  choice.count === undefined ? { choice } : { uids: new Set(pods.map(({ metadata }) => metadata.uid)) }

const runningContainersOf = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  isPodActive(pod)
    ? (pod.status.containerStatuses ?? []).filter(({ state }) => state?.running !== undefined)
    : []

const runningContainersIn = (pods: ReadonlyArray<Pod>) =>
  pods.flatMap((pod) => runningContainersOf(pod).map((status) => ({ pod, status })))

const runningMillis = (status: ContainerStatus, { kernel }: FaultContext): number =>
  millisSinceStartOrExit(status, kernel.nowMillis())

const hasRunningKubelet = ({ spec: { nodeName } }: Pod, { view }: FaultContext): boolean =>
  nodeName !== undefined && isKubeletRunning(view.get(resources.nodes, nodeName))
