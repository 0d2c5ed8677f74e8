import { dequal } from "dequal/lite"
import { allContainersOf } from "../draftPodSpec.ts"
import { defaultExit } from "../../behaviours/defaultExits.ts"
import { containerLife } from "../../kubernetes/pods/containers/containers.ts"
import { isSidecar } from "../../kubernetes/pods/containers/containerRoles.ts"
import { mayRestart, restartTermsOf } from "../../kubernetes/pods/containers/restartPolicies.ts"
import { containersThatEnd, endlessCommandOf } from "./endlessCommand.ts"
import { livenessFollowsReadiness } from "../../kubernetes/pods/containers/probes.ts"
import { blockingProbesOf, failingProbesOf } from "../failingProbes.ts"
import { immediateEndOf, failingCommandOf, sleepMillisOf } from "./briefCommand.ts"
import { whyNotStarted } from "./containerConfig.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { containerKey, isUnprobed, answerMillisWithoutProbe } from "./unprobedAnswers.ts"
import { slowestAnswers } from "./podTimes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { ConfigAndVolumes } from "./containerConfig.ts"
import type { ContainerExit, ContainerLife, PodLife } from "../../kubernetes/pods/podLife.ts"
import type { LongestPodTimes, PodTimesRecorder } from "./podTimes.ts"

interface LifeOptions {
  readonly isCrashAssumed: boolean
  /** Whether the times were measured in a cluster, where liveness probes did not end the Pods. */
  readonly isMeasured: boolean
  readonly configAndVolumes: ConfigAndVolumes
  /** Keys (`containerKey`) of containers without a probe that serve requests. */
  readonly unprobedContainers: ReadonlySet<string>
  readonly isReadyDelayGiven: (pod: Pod, containerName: string) => boolean
}

/** Changes drawn lives to what the specs of their Pods show. */
export const makeLifeAdjuster = (
  times: PodTimesRecorder,
  options: LifeOptions
): ((pod: Pod, drawnLife: PodLife) => PodLife) => {
  /** By the Pod's uid: a life is asked for at every look at a Pod. */
  const cache = new Map<string, CachedLife>()
  return (pod, drawnLife) => {
    // With mover `you`, a client sets the status.
    if (drawnLife.mover === "you") return drawnLife
    const cached = cache.get(pod.metadata.uid)
    const isCurrent =
      cached !== undefined && isSamePod(cached.pod, pod) && dequal(cached.drawnLife, drawnLife)
    const current = isCurrent ? cached : makeCachedLife(pod, drawnLife, options)
    if (current !== cached) cache.set(pod.metadata.uid, current)
    times.record(pod, current.times)
    return current.life
  }
}

interface CachedLife {
  readonly pod: Pod
  readonly drawnLife: PodLife
  readonly life: PodLife
  readonly times: Partial<LongestPodTimes>
}

const isSamePod = (a: Pod, b: Pod): boolean =>
  a.spec === b.spec &&
  a.metadata.labels === b.metadata.labels &&
  a.metadata.annotations === b.metadata.annotations &&
  a.metadata.ownerReferences === b.metadata.ownerReferences

const makeCachedLife = (pod: Pod, drawnLife: PodLife, options: LifeOptions): CachedLife => {
  const isOfJob = controllerOf(pod)?.kind === "Job"
  const answeringLife = isOfJob
    ? withJobSuccess(pod, drawnLife, options)
    : withUnprobedAnswers(pod, drawnLife, options)
  const lifeUntilAnswers = withSpecProblems(pod, answeringLife, options)
  const life = withUnprobedReadyAtOnce(pod, lifeUntilAnswers)
  return { pod, drawnLife, life, times: timesOf(pod, lifeUntilAnswers) }
}

/** A Job's containers succeed after their sleeps, else after the time that others take to become ready. */
const withJobSuccess = ({ spec }: Pod, life: PodLife, { isCrashAssumed }: LifeOptions): PodLife => {
  const containersToEnd = containersThatEnd(spec)
  const endingLives = spec.containers.flatMap((container) => {
    const current = containerLife(life, container.name, "app")
    const { exit, readyMillis } = current
    const exitOfCommand = containersToEnd.includes(container) ? failingOrEndlessExit(container) : undefined
    const ownExit = exitOfCommand ?? completionAfter(sleepMillisOf(container) || readyMillis)
    const isFromBehaviour = exit !== undefined && exit !== defaultExit
    // An assumed crash counts only if it comes first.
    const isExitKept = isFromBehaviour && (!isCrashAssumed || exit.afterMillis <= ownExit.afterMillis)
    return isExitKept ? [] : [[container.name, { ...current, exit: ownExit }] as const]
  })
  return withContainerLives(life, endingLives)
}

const withUnprobedAnswers = (
  pod: Pod,
  life: PodLife,
  { unprobedContainers, isMeasured, isReadyDelayGiven }: LifeOptions
): PodLife => {
  if (isMeasured || unprobedContainers.size === 0) return life
  const slowedLives = pod.spec.containers.flatMap((container) => {
    const { name } = container
    if (!unprobedContainers.has(containerKey(container)) || isReadyDelayGiven(pod, name)) return []
    const current = containerLife(life, name, "app")
    const readyMillis = Math.max(current.readyMillis, answerMillisWithoutProbe)
    return [[name, { ...current, readyMillis }] as const]
  })
  return withContainerLives(life, slowedLives)
}

interface SpecContext {
  readonly spec: Pod["spec"]
  readonly contentSource: ConfigAndVolumes & { readonly namespace: string }
  readonly isMeasured: boolean
}

const withSpecProblems = (
  { spec, metadata: { namespace = "default" } }: Pod,
  life: PodLife,
  { configAndVolumes, isMeasured }: LifeOptions
): PodLife => {
  const context = { spec, contentSource: { ...configAndVolumes, namespace }, isMeasured }
  const changedLives = allContainersOf(spec).flatMap((container) => {
    const isApp = spec.containers.includes(container)
    const current = containerLife(life, container.name, isApp ? "app" : "init")
    const hasToEnd = !isApp && !isSidecar(container)
    const changedLife = hasToEnd
      ? initContainerLife(container, current, context)
      : lifeWithProblems(container, current, context)
    return changedLife === undefined ? [] : [[container.name, changedLife] as const]
  })
  return withContainerLives(life, changedLives)
}

const lifeWithProblems = (
  container: Core.Container,
  current: ContainerLife,
  { spec, contentSource, isMeasured }: SpecContext
): ContainerLife | undefined => {
  const failingProbes = failingProbesOf(container)
  const hasToEnd = containersThatEnd(spec).includes(container)
  const blockingProbes = blockingProbesOf(failingProbes, { hasToEnd })
  const isNeverReady = blockingProbes.some(({ field }) => field !== "livenessProbe")
  // A startup probe that cannot be asked ends no container.
  const isNeverStarted =
    whyNotStarted(container, spec, contentSource) !== undefined ||
    blockingProbes.some(({ field, isErrored }) => field === "startupProbe" && isErrored)
  const failingLiveness = failingProbes.find(({ field }) => field === "livenessProbe")
  const livesMillis =
    failingLiveness === undefined
      ? livenessMillis(container, current.readyMillis, isMeasured)
      : failingLiveness.isErrored
        ? 0
        : neverMillis
  const { finalExit: exit = current.exit } = immediateEndOf(container, spec) ?? {}
  const isLivenessKnown = livesMillis !== undefined
  if (!isNeverStarted && !isNeverReady && !isLivenessKnown && exit === current.exit) return undefined
  return {
    ...current,
    exit,
    ...(isNeverStarted ? { startMillis: neverMillis } : {}),
    ...(isNeverReady ? { readyMillis: neverMillis } : {}),
    ...(isLivenessKnown ? { livesMillis } : {})
  }
}

/** Undefined for a liveness probe that passes with the readiness probe. */
const livenessMillis = (
  container: Core.Container,
  readyMillis: number,
  isMeasured: boolean
): number | undefined => {
  const { startupProbe, livenessProbe } = container
  const failsUntilReady =
    !isMeasured &&
    livenessProbe !== undefined &&
    startupProbe === undefined &&
    !livenessFollowsReadiness(container)
  return failsUntilReady ? readyMillis : undefined
}

/** A failing or endless command takes precedence; a sleep comes last. */
const initContainerLife = (
  container: Core.Container,
  current: ContainerLife,
  context: SpecContext
): ContainerLife | undefined => {
  const exit = failingOrEndlessExit(container)
  if (exit !== undefined) {
    const { restartPolicy = "Always" } = context.spec
    const failsPod = exit.code !== 0 && !mayRestart(restartTermsOf("init", container), exit)
    // A Pod that fails is replaced without end: that is not played.
    const isPodReplaced = failsPod && restartPolicy === "Always"
    return isPodReplaced ? { ...current, startMillis: neverMillis } : { ...current, exit }
  }
  const problemLife = lifeWithProblems(container, current, context)
  if (problemLife !== undefined || current.exit !== undefined) return problemLife
  const sleepMillis = sleepMillisOf(container)
  return sleepMillis === 0 ? undefined : { ...current, exit: completionAfter(sleepMillis) }
}

const failingOrEndlessExit = (container: Core.Container): ContainerExit | undefined => {
  const failingCommand = failingCommandOf(container)
  if (failingCommand !== undefined) {
    const { code, afterMillis } = failingCommand
    return { ...defaultExit, reason: "Error", code, afterMillis }
  }
  return endlessCommandOf(container) === undefined ? undefined : completionAfter(neverMillis)
}

/** Source: pkg/kubelet/prober/prober_manager.go (UpdatePodStatus). */
const withUnprobedReadyAtOnce = ({ spec }: Pod, life: PodLife): PodLife =>
  withContainerLives(
    life,
    spec.containers.filter(isUnprobed).map(({ name }) => {
      const current = containerLife(life, name, "app")
      return [name, { ...current, readyMillis: 0, answersMillis: current.readyMillis }] as const
    })
  )

const timesOf = ({ spec: { containers } }: Pod, lifeUntilAnswers: PodLife): Partial<LongestPodTimes> => {
  const answerMillisOf = ({ name }: Core.Container): number =>
    containerLife(lifeUntilAnswers, name, "app").readyMillis
  const slowest = (some: ReadonlyArray<Core.Container>): number => Math.max(0, ...some.map(answerMillisOf))
  const answering = containers.filter((container) => answerMillisOf(container) !== neverMillis)
  const slowestProbed = slowest(containers.filter((container) => !isUnprobed(container)))
  return {
    stoppingMillis: lifeUntilAnswers.terminateMillis,
    answerMillisByImage: slowestAnswers(
      answering.map((container) => [container.image ?? "", answerMillisOf(container)] as const)
    ),
    readyToAnswerMillis: Math.max(0, slowest(containers.filter(isUnprobed)) - slowestProbed)
  }
}

const withContainerLives = (
  life: PodLife,
  changedLives: ReadonlyArray<readonly [containerName: string, life: ContainerLife]>
): PodLife =>
  changedLives.length === 0
    ? life
    : { ...life, containers: { ...life.containers, ...Object.fromEntries(changedLives) } }

const completionAfter = (afterMillis: number): ContainerExit => ({ ...defaultExit, afterMillis })

/** Longer than any plan is played. */
const neverMillis = 1000 * 24 * 3_600_000

/** Unlike Kubernetes, a rejected Pod waits: its controller would replace it without end. */
export const lifeWithoutStart = (life: PodLife): PodLife => {
  const neverStarts = (it: ContainerLife): ContainerLife => ({ ...it, startMillis: neverMillis })
  return {
    ...life,
    otherContainers: neverStarts(life.otherContainers),
    containers: Object.fromEntries(
      Object.entries(life.containers).map(([name, it]) => [name, neverStarts(it)])
    )
  }
}
