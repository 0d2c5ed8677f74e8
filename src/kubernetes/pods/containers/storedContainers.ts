import { parseCrashCount, backOffResetMillis } from "./backOff.ts"
import { hasEverRun, restartAllContainersEnd, hasNotRunSinceRemoval } from "./containers.ts"
import { initContainerRole } from "./containerRoles.ts"
import { isTerminating } from "../../meta/deletion.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerActivity, ContainerEnd, ContainerFacts } from "./containers.ts"
import type { ContainerRole } from "./containerRoles.ts"
import type { ContainerStatus, Pod } from "../../meta/objects.ts"

/** Containers that have not begun are queued: one starts at a time, and none in a terminating Pod. */
export const containerFactsOfPod = (pod: Pod): ReadonlyArray<ContainerFacts> => {
  const { spec, status } = pod
  const inits = spec.initContainers ?? []
  const apps = spec.containers.map(({ name }) =>
    storedContainerFacts(name, containerStatusOf(status.containerStatuses, name))
  )
  if (inits.length === 0) return apps.length > 1 || isTerminating(pod) ? apps.map(queuedUnlessBegun) : apps
  return [
    ...inits.map((container) => {
      const stored = containerStatusOf(status.initContainerStatuses, container.name)
      return queuedUnlessBegun(storedContainerFacts(container.name, stored, initContainerRole(container)))
    }),
    ...apps.map(queuedUnlessBegun)
  ]
}

export const ephemeralFactsOfPod = ({ spec, status }: Pod): ReadonlyArray<ContainerFacts> =>
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
  facts.doing === "creating" && (!hasEverRun(facts) || hasNotRunSinceRemoval(facts))
    ? { ...facts, doing: "queued" }
    : facts

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
    lastExit: lastExitOf(reported),
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
    case restartAllContainersEnd.reason:
      return "queued"
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

const lastTermination = ({
  state,
  lastState
}: StatusWithDefaults): Core.ContainerStateTerminated | undefined => state.terminated ?? lastState.terminated

const lastExitOf = (reported: StatusWithDefaults): ContainerEnd | undefined => {
  const lastEnd = lastTermination(reported)
  return lastEnd === undefined ? undefined : { code: lastEnd.exitCode, reason: lastEnd.reason ?? "Error" }
}

const crashesOf = (reported: StatusWithDefaults): number => {
  const { state, restartCount } = reported
  const { waiting, terminated } = state
  if (waiting?.reason === "CrashLoopBackOff") return parseCrashCount(waiting.message ?? "", restartCount + 1)
  const lastEnd = lastTermination(reported)
  if (lastEnd === undefined || lastEnd.reason === restartAllContainersEnd.reason) return 0
  const ranMillis = timestampMillis(lastEnd.finishedAt ?? "") - timestampMillis(lastEnd.startedAt ?? "")
  if (ranMillis >= backOffResetMillis) return 1
  return terminated === undefined ? restartCount : restartCount + 1
}

const pullErrorOf = ({ waiting }: Core.ContainerState): string | undefined =>
  waiting?.reason === "ErrImagePull" ? waiting.message : errorAfterPrefix.exec(waiting?.message ?? "")?.[1]

/** Precedes the error of the last pull in the message of ImagePullBackOff. */
export const pullErrorPrefix = ": ErrImagePull: "
const errorAfterPrefix = new RegExp(`${pullErrorPrefix}(.*)$`, "su")

/** Since the start of the present run or, between runs, since the end of the last one. */
export const millisSinceStartOrExit = (status: ContainerStatus | undefined, nowMillis: number): number => {
  const since =
    status?.state?.running?.startedAt ??
    status?.state?.terminated?.finishedAt ??
    status?.lastState?.terminated?.finishedAt
  return since === undefined ? 0 : Math.max(0, nowMillis - timestampMillis(since))
}
