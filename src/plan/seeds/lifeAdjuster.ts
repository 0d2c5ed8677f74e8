import { dequal } from "dequal/lite"
import { allContainersOf } from "../draftPodSpec.ts"
import { defaultExit } from "../../behaviours/defaultExits.ts"
import { containerLife } from "../../kubernetes/pods/containers/containers.ts"
import { initContainerRole, isSidecar } from "../../kubernetes/pods/containers/containerRoles.ts"
import { mayRestart, restartTermsOf } from "../../kubernetes/pods/containers/restartPolicies.ts"
import { endlessContainers } from "./endlessCommand.ts"
import { livenessFollowsReadiness } from "../../kubernetes/pods/containers/probes.ts"
import { neverPasses } from "../failingProbes.ts"
import { briefRunOf, sleepMillisOf } from "./briefCommand.ts"
import { failingContainers, whyNotStarted } from "./containerConfig.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { containerKey, isUnprobed, answerMillisWithoutProbe } from "./unprobedAnswers.ts"
import { slowestAnswers } from "./podTimes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { FailingCommand } from "./briefCommand.ts"
import type { ConfigKeys } from "./containerConfig.ts"
import type { ContainerLife, PodLife } from "../../kubernetes/pods/podLife.ts"
import type { LongestPodTimes, PodTimesRecorder } from "./podTimes.ts"

interface LifeOptions {
  readonly isCrashAssumed: boolean
  /** Whether the times were measured in a cluster, where liveness probes did not end the Pods. */
  readonly isMeasured: boolean
  readonly configMapAndSecretKeys: ConfigKeys
  /** Keys (`containerKey`) of containers without a probe that serve requests. */
  readonly unprobedContainers: ReadonlySet<string>
  readonly isReadyDelayGiven: (pod: Pod, containerName: string) => boolean
}

/**
 * Without a readiness probe, a container is ready when it runs. Source: pkg/kubelet/prober/prober_manager.go
 * (UpdatePodStatus).
 */
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
    ? withJobSuccess(pod, drawnLife, options.isCrashAssumed)
    : withUnprobedAnswers(pod, drawnLife, options)
  const life = withSpecProblems(pod, answeringLife, options)
  const lifeOf = ({ name }: Core.Container): ContainerLife => containerLife(life, name, "app")
  const times = {
    stoppingMillis: life.terminateMillis,
    answerMillisByImage: slowestAnswers(
      pod.spec.containers.flatMap((container) => {
        const { readyMillis } = lifeOf(container)
        return readyMillis === neverMillis ? [] : [[container.image ?? "", readyMillis] as const]
      })
    )
  }
  const unprobed = pod.spec.containers.filter(isUnprobed)
  if (unprobed.length === 0) return { pod, drawnLife, life, times }
  const readyMillis = longestReadyMillis(unprobed.map(lifeOf))
  const probedMillis = longestReadyMillis(
    pod.spec.containers.filter((container) => !isUnprobed(container)).map(lifeOf)
  )
  const containers: Record<string, ContainerLife> = { ...life.containers }
  for (const container of unprobed) {
    const current = lifeOf(container)
    containers[container.name] = {
      ...current,
      readyMillis: 0,
      answersMillis: current.readyMillis
    }
  }
  return {
    pod,
    drawnLife,
    life: { ...life, containers },
    times: { ...times, readyToAnswerMillis: Math.max(0, readyMillis - probedMillis) }
  }
}

const withUnprobedAnswers = (
  pod: Pod,
  life: PodLife,
  { unprobedContainers, isMeasured, isReadyDelayGiven }: LifeOptions
): PodLife => {
  if (isMeasured || unprobedContainers.size === 0) return life
  const slowed = pod.spec.containers.flatMap((container) => {
    const { name } = container
    if (!unprobedContainers.has(containerKey(container)) || isReadyDelayGiven(pod, name)) return []
    const current = containerLife(life, name, "app")
    return [
      [name, { ...current, readyMillis: Math.max(current.readyMillis, answerMillisWithoutProbe) }] as const
    ]
  })
  return slowed.length === 0
    ? life
    : { ...life, containers: { ...life.containers, ...Object.fromEntries(slowed) } }
}

/** Longer than any plan is played. */
const neverMillis = 1000 * 24 * 3_600_000

const withSpecProblems = (
  pod: Pod,
  life: PodLife,
  { configMapAndSecretKeys, isMeasured }: LifeOptions
): PodLife => {
  const { namespace = "default" } = pod.metadata
  const isOfJob = (pod.spec.restartPolicy ?? "Always") !== "Always"
  const changedLives = allContainersOf(pod.spec).flatMap((container) => {
    const role = pod.spec.containers.includes(container) ? "app" : initContainerRole(container)
    const current = containerLife(life, container.name, role)
    const { startupProbe, livenessProbe } = container
    const isNeverReady = neverPasses(container, "readinessProbe") || neverPasses(container, "startupProbe")
    const livenessNeverSucceeds = neverPasses(container, "livenessProbe")
    const livenessFailsUntilReady =
      !isMeasured &&
      livenessProbe !== undefined &&
      startupProbe === undefined &&
      !livenessFollowsReadiness(container)
    const isNeverStarted =
      whyNotStarted(container, pod.spec, { namespace, keys: configMapAndSecretKeys }) !== undefined
    const { exit = current.exit } = briefRunOf(container, pod.spec) ?? {}
    const isChanged = isNeverReady || livenessNeverSucceeds || livenessFailsUntilReady || isNeverStarted
    if (!isChanged && exit === current.exit) return []
    const livenessPassesMillis = livenessNeverSucceeds ? neverMillis : current.readyMillis
    return [
      [
        container.name,
        {
          ...current,
          exit,
          ...(isNeverStarted ? { startMillis: neverMillis } : {}),
          ...(isNeverReady ? { readyMillis: neverMillis } : {}),
          ...(livenessNeverSucceeds || livenessFailsUntilReady ? { livenessPassesMillis } : {})
        }
      ] as const
    ]
  })
  const endlessLives = endlessContainers(pod.spec)
    .filter(({ container }) => pod.spec.initContainers?.includes(container))
    .map(({ container }) => {
      const exit = { ...defaultExit, afterMillis: neverMillis }
      return [container.name, { ...containerLife(life, container.name, "init"), exit }] as const
    })
  const failingLives = failingContainers(pod.spec)
    .filter(({ container }) => pod.spec.initContainers?.includes(container))
    .map(({ container, failingCommand: command }) => {
      const current = containerLife(life, container.name, "init")
      // A Pod that fails is replaced without end: that is not played.
      const failsPod = !isOfJob && !mayRestart(restartTermsOf("init", container), command)
      return [
        container.name,
        failsPod ? { ...current, startMillis: neverMillis } : withFailure(current, command)
      ]
    })
  const sleepingLives = (pod.spec.initContainers ?? []).flatMap((container) => {
    const current = containerLife(life, container.name, "init")
    const afterMillis = current.exit === undefined && !isSidecar(container) ? sleepMillisOf(container) : 0
    return afterMillis === 0 ? [] : [[container.name, { ...current, exit: { ...defaultExit, afterMillis } }]]
  })
  const lives = [...sleepingLives, ...changedLives, ...endlessLives, ...failingLives]
  return lives.length === 0
    ? life
    : { ...life, containers: { ...life.containers, ...Object.fromEntries(lives) } }
}

/** A Job's containers succeed after their sleeps, else after the time that others take to become ready. */
const withJobSuccess = (pod: Pod, life: PodLife, isCrashAssumed: boolean): PodLife => {
  const containers: Record<string, ContainerLife> = { ...life.containers }
  const endlessNames = new Set(endlessContainers(pod.spec).map(({ container }) => container.name))
  const failingCommands = new Map(
    failingContainers(pod.spec).map(({ container, failingCommand }) => [container.name, failingCommand])
  )
  for (const container of pod.spec.containers) {
    const { name } = container
    const current = containerLife(life, name, "app")
    const { exit, readyMillis } = current
    const isFromBehaviour = exit !== undefined && exit !== defaultExit
    // An assumed crash counts only if it comes before the success.
    const isExitKept = isFromBehaviour && (!isCrashAssumed || exit.afterMillis <= readyMillis)
    if (isExitKept) continue
    const afterMillis = endlessNames.has(name) ? neverMillis : sleepMillisOf(container) || readyMillis
    const failingCommand = failingCommands.get(name)
    containers[name] =
      failingCommand === undefined
        ? { ...current, exit: { ...defaultExit, afterMillis } }
        : withFailure(current, failingCommand)
  }
  return { ...life, containers }
}

const withFailure = (life: ContainerLife, { code, afterMillis }: FailingCommand): ContainerLife => ({
  ...life,
  exit: { ...defaultExit, reason: "Error", code, afterMillis }
})

const longestReadyMillis = (lives: ReadonlyArray<ContainerLife>): number =>
  lives.reduce((longest, { readyMillis }) => Math.max(longest, readyMillis), 0)

/** Unlike Kubernetes, a rejected Pod waits: its controller would replace it without end. */
export const neverStarted = (life: PodLife): PodLife => {
  const neverStarts = (it: ContainerLife): ContainerLife => ({ ...it, startMillis: neverMillis })
  return {
    ...life,
    otherContainers: neverStarts(life.otherContainers),
    containers: Object.fromEntries(
      Object.entries(life.containers).map(([name, it]) => [name, neverStarts(it)])
    )
  }
}
