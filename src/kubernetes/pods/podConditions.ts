import { isTerminalPhase } from "./podState.ts"
import { conditionOf, noProbeTime, transitionTime, withoutCondition } from "../meta/conditions.ts"
import { hasEverRun, endRestartsAllContainers } from "./containers/containers.ts"
import { couldRestartAllContainers } from "./containers/restartPolicies.ts"
import { allowsNextContainer } from "./podPhase.ts"
import { goQuote } from "../meta/text/goQuote.ts"
import type { ContainerFacts } from "./containers/containers.ts"
import type { Pod, PodCondition, PodSpec } from "../meta/objects.ts"

/**
 * Conditions of other writers come first, unchanged. Source: status/generate.go, status_manager.go
 * (mergePodStatus).
 */
export const podConditions = (options: {
  readonly pod: Pod
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly phase: string
  /** `Failed` as soon as the kubelet has decided to end the Pod. */
  readonly expectedPhase: string
  readonly nowMillis: number
  readonly areVolumesMounted: boolean
}): ReadonlyArray<PodCondition> => {
  const { pod, containers, phase, expectedPhase, nowMillis, areVolumesMounted } = options
  const otherConditions = (pod.status.conditions ?? []).filter(({ type }) => !kubeletConditionTypes.has(type))
  const unready = whyUnready(containers, expectedPhase)
  const condition = (type: string, cause?: ConditionCause): PodCondition =>
    makeCondition({ pod, type, cause, nowMillis })
  const kubeletConditions = [
    condition(
      "PodReadyToStartContainers",
      isTerminalPhase(phase) || !areVolumesMounted ? { status: "False" } : undefined
    ),
    condition("Initialized", whyUninitialized(containers, expectedPhase)),
    condition("Ready", unready ?? whyReadinessGated(pod)),
    condition("ContainersReady", unready),
    condition("PodScheduled")
  ]
  if (couldRestartAllContainers(pod.spec))
    kubeletConditions.push(condition("AllContainersRestarting", whyAllRestart(containers, pod.spec, phase)))
  // A spread would reserve more memory in every Pod.
  return otherConditions.concat(kubeletConditions)
}

const kubeletConditionTypes: ReadonlySet<string> = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "AllContainersRestarting"
])

/** Source: status/generate.go (GenerateAllContainersRestartingCondition). */
const whyAllRestart = (
  containers: ReadonlyArray<ContainerFacts>,
  spec: PodSpec,
  phase: string
): ConditionCause => {
  if (isTerminalPhase(phase))
    return { status: "False", reason: phase === "Failed" ? "PodFailed" : "PodCompleted" }
  return containers.some((facts) => endRestartsAllContainers(facts, spec))
    ? allRestarting
    : { status: "False" }
}

const allRestarting: ConditionCause = Object.freeze({
  status: "True",
  reason: "RestartAllContainersStarted",
  message: "container exited with restart policy rule"
})

interface ConditionCause {
  readonly status: "True" | "False"
  readonly reason?: string
  readonly message?: string
}

const whyUnready = (containers: ReadonlyArray<ContainerFacts>, phase: string): ConditionCause | undefined => {
  if (isTerminalPhase(phase))
    return { status: "False", reason: phase === "Failed" ? "PodFailed" : "PodCompleted" }
  const unready = containers.filter(({ role, ready }) => role !== "init" && !ready)
  if (unready.length === 0) return undefined
  const message = `containers with unready status: [${namesOf(unready)}]`
  return { status: "False", reason: "ContainersNotReady", message }
}

const whyReadinessGated = ({ spec, status }: Pod): ConditionCause | undefined => {
  if (spec.readinessGates === undefined) return undefined
  let message: string | undefined
  for (const { conditionType } of spec.readinessGates) {
    const condition = conditionOf(status.conditions, conditionType)
    if (condition?.status === "True") continue
    const text =
      condition === undefined
        ? missingGateText(conditionType)
        : `the status of pod readiness gate ${goQuote(conditionType)} is not "True", but ${condition.status}`
    message = message === undefined ? text : `${message}, ${text}`
  }
  return message === undefined ? undefined : { status: "False", reason: "ReadinessGatesNotReady", message }
}

let lastMissingGate: { readonly conditionType: string; readonly text: string } | undefined

/** Pods that lack the condition of the same gate share this text. */
const missingGateText = (conditionType: string): string => {
  if (lastMissingGate?.conditionType !== conditionType) {
    const gate = goQuote(conditionType)
    const text = `corresponding condition of pod readiness gate ${gate} does not exist.`
    lastMissingGate = { conditionType, text }
  }
  return lastMissingGate.text
}

/** Once an app container has run, the Pod stays initialized. */
const whyUninitialized = (
  containers: ReadonlyArray<ContainerFacts>,
  phase: string
): ConditionCause | undefined => {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" }
  if (containers.some((facts) => facts.role === "app" && hasEverRun(facts))) return undefined
  const incomplete = containers.filter((facts) => facts.role !== "app" && !allowsNextContainer(facts))
  if (incomplete.length === 0) return undefined
  const message = `containers with incomplete status: [${namesOf(incomplete)}]`
  return { status: "False", reason: "ContainersNotInitialized", message }
}

const namesOf = (containers: ReadonlyArray<ContainerFacts>): string =>
  containers.map(({ name }) => name).join(" ")

/** Source: pod/util.go (UpdatePodCondition). */
export const withPodCondition = (
  pod: Pod,
  type: string,
  cause: ConditionCause,
  nowMillis: number
): ReadonlyArray<PodCondition> => {
  const otherConditions = withoutCondition(pod.status.conditions ?? [], type)
  const condition = makeCondition({ pod, type, cause, nowMillis })
  return otherConditions.concat(condition)
}

const makeCondition = (options: {
  readonly pod: Pod
  readonly type: string
  readonly cause: ConditionCause | undefined
  readonly nowMillis: number
}): PodCondition => {
  const { pod, type, cause, nowMillis } = options
  const { generation } = pod.metadata
  const status = cause?.status ?? "True"
  const present = conditionOf(pod.status.conditions, type)
  if (
    present?.status === status &&
    present.reason === cause?.reason &&
    present.message === cause?.message &&
    present.observedGeneration === generation
  )
    return present
  const lastTransitionTime = transitionTime(present, status, nowMillis)
  const lastProbeTime = noProbeTime
  // A literal with all keys takes half the memory of a spread.
  if (cause?.reason === undefined && generation !== undefined)
    return shareWithLatest({
      type,
      status,
      lastProbeTime,
      lastTransitionTime,
      observedGeneration: generation
    })
  return {
    type,
    status,
    lastProbeTime,
    lastTransitionTime,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(cause?.reason === undefined ? {} : { reason: cause.reason }),
    ...(cause?.message === undefined ? {} : { message: cause.message })
  }
}

/** Pods that change in the same second share a condition without a reason. */
const latestOfType = new Map<string, PodCondition>()

const shareWithLatest = (condition: PodCondition): PodCondition => {
  const latest = latestOfType.get(condition.type)
  if (
    latest?.status === condition.status &&
    latest.lastTransitionTime === condition.lastTransitionTime &&
    latest.observedGeneration === condition.observedGeneration
  )
    return latest
  latestOfType.set(condition.type, Object.freeze(condition))
  return condition
}
