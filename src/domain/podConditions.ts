import { conditionOf, neverProbed, withoutCondition } from "./conditions.ts"
import { hasBegun } from "./containers.ts"
import { isThrough } from "./podPhase.ts"
import { timestampOf } from "./timestamps.ts"
import type { ContainerFacts } from "./containers.ts"
import type { Pod, PodCondition } from "./objects.ts"

/**
 * The conditions that a kubelet keeps of a Pod. Those of others come first, and are left as they are.
 *
 * Source: pkg/kubelet/status/generate.go, pkg/kubelet/status/status_manager.go (mergePodStatus).
 */
export const podConditions = (options: {
  readonly pod: Pod
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly phase: string
  /** What the phase is or will be: that of a Pod that is over its time is `Failed`. */
  readonly verdict: string
  readonly nowMillis: number
}): ReadonlyArray<PodCondition> => {
  const { pod, containers, phase, verdict, nowMillis } = options
  const foreign = (pod.status.conditions ?? []).filter(({ type }) => !ownTypes.has(type))
  const unready = whyUnready(containers, verdict)
  const write = (type: string, because: Because | undefined): PodCondition =>
    written({ pod, type, because, nowMillis })
  return [
    ...foreign,
    write("PodReadyToStartContainers", isOver(phase) ? { status: "False" } : undefined),
    write("Initialized", whyUninitialized(containers, verdict)),
    write("Ready", unready ?? whyGated(pod)),
    write("ContainersReady", unready),
    write("PodScheduled", undefined)
  ]
}

const ownTypes: ReadonlySet<string> = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled"
])

const isOver = (phase: string): boolean => phase === "Succeeded" || phase === "Failed"

/** What a condition says that is not plainly true. */
interface Because {
  readonly status: "True" | "False"
  readonly reason?: string
  readonly message?: string
}

const whyUnready = (containers: ReadonlyArray<ContainerFacts>, phase: string): Because | undefined => {
  if (isOver(phase)) return { status: "False", reason: phase === "Failed" ? "PodFailed" : "PodCompleted" }
  const unready = containers.filter(({ role, ready }) => role !== "init" && !ready)
  if (unready.length === 0) return undefined
  const message = `containers with unready status: [${namesOf(unready)}]`
  return { status: "False", reason: "ContainersNotReady", message }
}

const whyGated = ({ spec, status }: Pod): Because | undefined => {
  if (spec.readinessGates === undefined) return undefined
  const closed = spec.readinessGates.flatMap(({ conditionType }) => {
    const gate = JSON.stringify(conditionType)
    const condition = conditionOf(status.conditions, conditionType)
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate ${gate} does not exist.`]
    if (condition.status === "True") return []
    return [`the status of pod readiness gate ${gate} is not "True", but ${condition.status}`]
  })
  if (closed.length === 0) return undefined
  return { status: "False", reason: "ReadinessGatesNotReady", message: closed.join(", ") }
}

/** Once an app container has run, the Pod is initialized, even if a sidecar is started again. */
const whyUninitialized = (containers: ReadonlyArray<ContainerFacts>, phase: string): Because | undefined => {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" }
  if (containers.some((it) => it.role === "app" && hasBegun(it))) return undefined
  const incomplete = containers.filter((it) => it.role !== "app" && !isThrough(it))
  if (incomplete.length === 0) return undefined
  const message = `containers with incomplete status: [${namesOf(incomplete)}]`
  return { status: "False", reason: "ContainersNotInitialized", message }
}

const namesOf = (containers: ReadonlyArray<ContainerFacts>): string =>
  containers.map(({ name }) => name).join(" ")

/**
 * A Pod's conditions when one of them is said anew.
 *
 * Source: pkg/api/v1/pod/util.go (UpdatePodCondition).
 */
export const withPodCondition = (
  pod: Pod,
  type: string,
  because: Because | undefined,
  nowMillis: number
): ReadonlyArray<PodCondition> => {
  const others = withoutCondition(pod.status.conditions ?? [], type)
  return [...others, written({ pod, type, because, nowMillis })]
}

/**
 * True unless something else is given; the time moves only when that changes, and an unchanged condition is shared.
 */
const written = (options: {
  readonly pod: Pod
  readonly type: string
  readonly because: Because | undefined
  readonly nowMillis: number
}): PodCondition => {
  const { pod, type, because, nowMillis } = options
  const { generation } = pod.metadata
  const status = because?.status ?? "True"
  const present = conditionOf(pod.status.conditions, type)
  if (
    present?.status === status &&
    present.reason === because?.reason &&
    present.message === because?.message &&
    present.observedGeneration === generation
  )
    return present
  const lastTransitionTime =
    present?.status === status
      ? (present.lastTransitionTime ?? timestampOf(nowMillis))
      : timestampOf(nowMillis)
  const lastProbeTime = neverProbed
  // The plain one is what a Pod keeps for long: written in one piece it takes half the room.
  if (because?.reason === undefined && generation !== undefined)
    return { type, status, lastProbeTime, lastTransitionTime, observedGeneration: generation }
  return {
    type,
    status,
    lastProbeTime,
    lastTransitionTime,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(because?.reason === undefined ? {} : { reason: because.reason }),
    ...(because?.message === undefined ? {} : { message: because.message })
  }
}
