import { parseCrashCount, backOffResetMillis } from "./backOff.ts"
import { hasEverRun } from "./containers.ts"
import { initContainerRole } from "./containerRoles.ts"
import { isTerminating } from "../../meta/deletion.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerActivity, ContainerEnd, ContainerFacts } from "./containers.ts"
import type { ContainerRole } from "./containerRoles.ts"
import type { ContainerStatus, Pod } from "../../meta/objects.ts"

/** If the Pod was deleted while its actor was away, queued containers never begin. */
export const storedContainers = (pod: Pod): ReadonlyArray<ContainerFacts> => {
  const { spec, status } = pod
  const inits = spec.initContainers ?? []
  const apps = spec.containers.map(({ name }) =>
    storedContainerFacts(name, containerStatusOf(status.containerStatuses, name))
  )
  if (inits.length === 0) return isTerminating(pod) ? apps.map(queuedUnlessBegun) : apps
  return [
    ...inits.map((it) => {
      const stored = containerStatusOf(status.initContainerStatuses, it.name)
      return queuedUnlessBegun(storedContainerFacts(it.name, stored, initContainerRole(it)))
    }),
    ...apps.map(queuedUnlessBegun)
  ]
}

export const storedEphemerals = ({ spec, status }: Pod): ReadonlyArray<ContainerFacts> =>
  (spec.ephemeralContainers ?? []).map(({ name }) =>
    storedContainerFacts(name, containerStatusOf(status.ephemeralContainerStatuses, name), "ephemeral")
  )

export const statusesOfRole = (
  { containerStatuses, initContainerStatuses, ephemeralContainerStatuses }: Pod["status"],
  role: ContainerRole
): ReadonlyArray<ContainerStatus> | undefined => {
  if (role === "app") return containerStatuses
  return role === "ephemeral" ? ephemeralContainerStatuses : initContainerStatuses
}

export const containerStatusOf = (
  statuses: ReadonlyArray<ContainerStatus> | undefined,
  name: string
): ContainerStatus | undefined => statuses?.find((status) => status.name === name)

/** A status does not tell `creating` from `queued`; the safe assumption is `queued`. */
const queuedUnlessBegun = (facts: ContainerFacts): ContainerFacts =>
  facts.doing === "creating" && !hasEverRun(facts) ? { ...facts, doing: "queued" } : facts

export const storedContainerFacts = (
  name: string,
  status: ContainerStatus | undefined,
  role: ContainerRole = "app"
): ContainerFacts => {
  const reported = { ...statusDefaults, ...status }
  const { state, ready, started, restartCount } = reported
  return {
    name,
    role,
    doing: doingOf(state),
    // A completed init container has `ready: true`, which it never has while it runs.
    ready: ready && state.running !== undefined,
    started,
    restartCount,
    lastExit: exitOf(reported),
    crashes: crashesOf(reported),
    pullError: pullErrorOf(state)
  }
}

interface StatusWithDefaults {
  readonly state: Core.ContainerState
  readonly lastState: Core.ContainerState
  readonly ready: boolean
  readonly started: boolean
  readonly restartCount: number
}

const statusDefaults: StatusWithDefaults = {
  state: {},
  lastState: {},
  ready: false,
  started: false,
  restartCount: 0
}

const doingOf = ({ running, terminated, waiting }: Core.ContainerState): ContainerActivity => {
  if (running !== undefined) return "running"
  if (terminated !== undefined) return "terminated"
  switch (waiting?.reason) {
    case "ErrImagePull":
      return "pullFailed"
    case "ImagePullBackOff":
      return "pullBackOff"
    case "CrashLoopBackOff":
      return "crashBackOff"
    case "InvalidImageName":
    case "ErrImageNeverPull":
      return "imageRefused"
    default:
      return "creating"
  }
}

const endOf = ({ state, lastState }: StatusWithDefaults): Core.ContainerStateTerminated | undefined =>
  state.terminated ?? lastState.terminated

const exitOf = (reported: StatusWithDefaults): ContainerEnd | undefined => {
  const lastEnd = endOf(reported)
  return lastEnd === undefined ? undefined : { code: lastEnd.exitCode, reason: lastEnd.reason ?? "Error" }
}

const crashesOf = (reported: StatusWithDefaults): number => {
  const { state, restartCount } = reported
  const { waiting, terminated } = state
  if (waiting?.reason === "CrashLoopBackOff") return parseCrashCount(waiting.message ?? "", restartCount + 1)
  const lastEnd = endOf(reported)
  if (lastEnd === undefined) return 0
  const ranMillis = timestampMillis(lastEnd.finishedAt ?? "") - timestampMillis(lastEnd.startedAt ?? "")
  if (ranMillis >= backOffResetMillis) return 1
  return terminated === undefined ? restartCount : restartCount + 1
}

const pullErrorOf = ({ waiting }: Core.ContainerState): string | undefined =>
  waiting?.reason === "ErrImagePull" ? waiting.message : errorAfterPrefix.exec(waiting?.message ?? "")?.[1]

/** Stands before the error in the message of ImagePullBackOff. */
export const pullErrorPrefix = ": ErrImagePull: "
const errorAfterPrefix = new RegExp(`${pullErrorPrefix}(.*)$`, "su")

export const activityElapsedMillis = (status: ContainerStatus | undefined, nowMillis: number): number => {
  const since =
    status?.state?.running?.startedAt ??
    status?.state?.terminated?.finishedAt ??
    status?.lastState?.terminated?.finishedAt
  return since === undefined ? 0 : Math.max(0, nowMillis - timestampMillis(since))
}
