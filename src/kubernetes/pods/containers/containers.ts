import { isSidecar, type ContainerRole } from "./containerRoles.ts"
import { imageSource, isImageName, isSameImage, pullMillisOf } from "./images.ts"
import { livenessFollowsReadiness, probeTiming } from "./probes.ts"
import { mayRestart, restartsAllContainers, restartTermsOf } from "./restartPolicies.ts"
import { shellScriptOf } from "./shellScripts.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { DocumentPath } from "../../meta/text/fieldPath.ts"
import type { ImageSource } from "./images.ts"
import type { PodSpec } from "../../meta/objects.ts"
import type { ContainerLife, PodLife } from "../podLife.ts"
import type { RestartTerms } from "./restartPolicies.ts"
import type { ProbeTiming } from "./probes.ts"

/** What the kubelet knows of a container. Source: kuberuntime_manager.go, kuberuntime_container.go. */
export interface ContainerFacts {
  readonly name: string
  readonly role: ContainerRole
  readonly doing: ContainerActivity
  readonly ready: boolean
  readonly started: boolean
  readonly restartCount: number
  readonly lastExit: ContainerEnd | undefined
  /** Short runs in a row, which lengthen the back-off. */
  readonly crashes: number
  readonly pullError: string | undefined
}

export type ContainerActivity =
  | "queued"
  | "creating"
  /** The image's name is invalid, or the image is absent and its pull policy is Never. */
  | "imageRefused"
  | "pullFailed"
  | "pullBackOff"
  | "crashBackOff"
  | "running"
  | "terminated"

export interface ContainerEnd {
  readonly code: number
  readonly reason: string
}

/** The reported end of a container that was stopped before it ever ran. */
export const neverRanEnd: ContainerEnd = Object.freeze({ code: 137, reason: "ContainerStatusUnknown" })

/** The reported end of a container that RestartAllContainers has removed, to start it anew. */
export const restartAllContainersEnd: ContainerEnd = Object.freeze({
  code: 137,
  reason: "RestartingAllContainers"
})

export type ContainerEventName =
  | "pulling"
  | "pulled"
  | "imageFound"
  | "imageRefused"
  | "pullFailed"
  | "pullBackOff"
  | "started"
  | "startupPassed"
  | "ready"
  | "unready"
  | "livenessFailed"
  | "startupFailed"
  | "exited"
  | "crashBackOff"
  | "stopping"
  | "stopped"

/** How a container runs: its spec together with the behaviour of its Pod. */
export interface ContainerPlan extends StopTiming, RestartTerms {
  readonly name: string
  readonly life: ContainerLife
  readonly image: ImageSource
  readonly readiness: ProbeTiming | undefined
  readonly liveness: ProbeTiming | undefined
  readonly startup: ProbeTiming | undefined
  /** Whether the liveness probe passes only when the readiness probe does. */
  readonly livenessFollowsReadiness: boolean
}

export interface StopTiming {
  /** From SIGTERM until the application exits. */
  readonly exitMillis: number
  readonly preStopHookMillis: number
  readonly graceMillis: number
}

export const containerPlan = (
  container: Core.Container,
  options: {
    readonly role: ContainerRole
    readonly spec: Pick<PodSpec, "restartPolicy" | "terminationGracePeriodSeconds">
    readonly life: PodLife
    /** Whether another container of the Pod has brought the image to the node. */
    readonly isImageOnNode?: boolean
  }
): ContainerPlan => {
  const { role, spec, isImageOnNode: isOnNode = false } = options
  const traits = traitsOf(container)
  const ownLife = containerLife(options.life, container.name, role)
  const life = delayedByPostStart(
    isOnNode ? { ...ownLife, pullMillis: pullMillisOf(ownLife, isOnNode) } : ownLife,
    traits.postStartHookMillis
  )
  const { restartPolicy, ...roleAndRules } = restartTermsOf(role, container, spec.restartPolicy)
  return {
    name: container.name,
    ...roleAndRules,
    life,
    image: imageSource(container, traits.isImageValid, { life, isOnNode }),
    restartPolicy,
    readiness: traits.readiness,
    liveness: traits.liveness,
    startup: traits.startup,
    livenessFollowsReadiness: traits.livenessFollowsReadiness,
    exitMillis: options.life.terminateMillis,
    preStopHookMillis: traits.preStopHookMillis,
    graceMillis: (spec.terminationGracePeriodSeconds ?? defaultTerminationGraceSeconds) * 1000
  }
}

export const defaultTerminationGraceSeconds = 30

/** The part of a plan that depends on the container's spec alone. */
interface ContainerTraits extends Pick<
  ContainerPlan,
  "readiness" | "liveness" | "startup" | "livenessFollowsReadiness" | "preStopHookMillis"
> {
  readonly isImageValid: boolean
  readonly postStartHookMillis: number
}

const traitsByContainer = new WeakMap<Core.Container, ContainerTraits>()

const traitsOf = (container: Core.Container): ContainerTraits => {
  const cached = traitsByContainer.get(container)
  if (cached !== undefined) return cached
  const postStartHookMillis = postStartMillis(container)
  const timing = (probe: Core.Probe | undefined) => timingAfterHook(probeTiming(probe), postStartHookMillis)
  const traits = {
    isImageValid: isImageName(container.image ?? ""),
    readiness: timing(container.readinessProbe),
    liveness: timing(container.livenessProbe),
    startup: timing(container.startupProbe),
    livenessFollowsReadiness: livenessFollowsReadiness(container),
    preStopHookMillis: sleepMillis(container.lifecycle?.preStop),
    postStartHookMillis
  }
  traitsByContainer.set(container, traits)
  return traits
}

export const postStartMillis = ({ lifecycle }: Core.Container): number => sleepMillis(lifecycle?.postStart)

/** Unlike Kubernetes, hooks run nothing: only `sleep` takes time. */
const sleepMillis = ({ sleep, exec }: Core.LifecycleHandler = {}): number =>
  (sleep?.seconds ?? sleepSeconds(exec?.command ?? [])) * 1000

/**
 * The container counts as running only after its postStart hook; the application and the initial delays of probes
 * start before the hook. Source: kuberuntime_container.go (startContainer).
 */
const delayedByPostStart = (life: ContainerLife, hookMillis: number): ContainerLife =>
  hookMillis === 0
    ? life
    : {
        ...life,
        startMillis: life.startMillis + hookMillis,
        readyMillis: Math.max(0, life.readyMillis - hookMillis)
      }

const timingAfterHook = (timing: ProbeTiming | undefined, hookMillis: number): ProbeTiming | undefined =>
  timing === undefined || hookMillis === 0
    ? timing
    : { ...timing, initialDelayMillis: Math.max(0, timing.initialDelayMillis - hookMillis) }

const sleepPattern = /^(?:exec\s+)?(?:(?:\/usr)?\/bin\/)?sleep\s+(\d+(?:\.\d+)?)s?\s*$/

export const sleepSeconds = (command: ReadonlyArray<string>): number => {
  const steps = shellScriptOf(command)?.split(/;|&&|\n/) ?? [command.join(" ")]
  return steps.reduce((seconds, step) => seconds + Number(sleepPattern.exec(step.trim())?.[1] ?? 0), 0)
}

export const preStopMillis = (container: Core.Container): number => traitsOf(container).preStopHookMillis

/** A preStop hook of unknown duration takes no time. */
export const isPreStopUntimed = ({ lifecycle }: Core.Container): boolean => {
  const { exec, httpGet } = lifecycle?.preStop ?? {}
  return exec === undefined ? httpGet !== undefined : sleepSeconds(exec.command ?? []) === 0
}

export const longRunningContainers = (spec: PodSpec): ReadonlyArray<Core.Container> => [
  ...spec.containers,
  ...(spec.initContainers ?? []).filter(isSidecar)
]

export const containerPath = (
  { containers = [], initContainers = [] }: Partial<Pick<PodSpec, "containers" | "initContainers">>,
  containerName: string
): DocumentPath => {
  const isNamed = ({ name }: Core.Container): boolean => name === containerName
  const initIndex = initContainers.findIndex(isNamed)
  return initIndex === -1 ? ["containers", containers.findIndex(isNamed)] : ["initContainers", initIndex]
}

const containersOfRole = (
  { containers, initContainers, ephemeralContainers }: PodSpec,
  role: ContainerRole
): ReadonlyArray<Core.Container> | undefined => {
  if (role === "app") return containers
  return role === "ephemeral" ? ephemeralContainers : initContainers
}

export const containerSpecOf = (
  spec: PodSpec,
  { name, role }: ContainerFacts
): Core.Container | undefined => {
  return containersOfRole(spec, role)?.find((container) => container.name === name)
}

export const containerLife = (life: PodLife, name: string, role: ContainerRole): ContainerLife => {
  // A container may be called `constructor`.
  const namedLife = Object.hasOwn(life.containers, name) ? life.containers[name] : undefined
  if (namedLife !== undefined) return namedLife
  return role === "app" ? life.otherContainers : withoutFaults(life.otherContainers)
}

const livesWithoutFaults = new WeakMap<ContainerLife, ContainerLife>()

const withoutFaults = (life: ContainerLife): ContainerLife => {
  const cached = livesWithoutFaults.get(life)
  if (cached !== undefined) return cached
  const healthyLife = {
    ...life,
    pullFailures: 0,
    exit: undefined,
    flap: undefined,
    hangMillis: undefined,
    terminateCode: undefined
  }
  livesWithoutFaults.set(life, healthyLife)
  return healthyLife
}

export const isContainerDone = (facts: ContainerFacts, spec: PodSpec): boolean =>
  facts.doing === "terminated" &&
  !mayRestart(
    restartTermsOf(facts.role, containerSpecOf(spec, facts) ?? {}, spec.restartPolicy),
    facts.lastExit
  )

export const endRestartsAllContainers = (facts: ContainerFacts, spec: PodSpec): boolean =>
  facts.doing === "terminated" &&
  facts.lastExit !== undefined &&
  restartsAllContainers(containerSpecOf(spec, facts) ?? {}, facts.lastExit)

/** A removed container has lost its earlier runs: no back-off follows. */
export const queuedAfterRemoval = (facts: ContainerFacts): ContainerFacts => {
  const queuedFacts = { ...facts, doing: "queued", ready: false, started: false, crashes: 0 } as const
  return hasEverRun(facts)
    ? { ...queuedFacts, restartCount: facts.restartCount + 1, lastExit: restartAllContainersEnd }
    : queuedFacts
}

export const isQueued = ({ doing }: ContainerFacts): boolean => doing === "queued"

/** Whether the container has not run since RestartAllContainers removed it. */
export const hasNotRunSinceRemoval = ({ doing, lastExit }: ContainerFacts): boolean =>
  (doing === "queued" || doing === "creating") && lastExit?.reason === restartAllContainersEnd.reason

export const isImageOnNode = (
  spec: PodSpec,
  containers: ReadonlyArray<ContainerFacts>,
  facts: ContainerFacts
): boolean => {
  const imageOf = (it: ContainerFacts): string => containerSpecOf(spec, it)?.image ?? ""
  return containers.some(
    (it) => it.name !== facts.name && hasEverRun(it) && isSameImage(imageOf(it), imageOf(facts))
  )
}

export const hasEverRun = ({ doing, lastExit }: ContainerFacts): boolean =>
  doing === "running" || lastExit !== undefined
