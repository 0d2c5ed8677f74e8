import { crashesOfMessage, forgivenAfterMillis } from "./backOff.ts"
import { hasBegun, roleOfInit } from "./containers.ts"
import { isTerminating } from "./ownerReferences.ts"
import { millisOf } from "./timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerDoing, ContainerEnd, ContainerFacts, ContainerRole } from "./containers.ts"
import type { ContainerStatus, Pod } from "./objects.ts"

/** What a stored status says of containers, so that an actor made anew goes on where the old one was. */

/**
 * All containers of a Pod, those for init first; after one whose turn has not come, none has begun. Of a Pod that was
 * told to stop while nobody looked after it, what had not begun never does.
 */
export const storedContainers = (pod: Pod): ReadonlyArray<ContainerFacts> => {
  const { spec, status } = pod
  const inits = spec.initContainers ?? []
  const apps = spec.containers.map(({ name }) => factsOf(name, statusOf(status.containerStatuses, name)))
  if (inits.length === 0) return isTerminating(pod) ? apps.map(queuedUnlessBegun) : apps
  return [
    ...inits.map((it) => {
      const stored = statusOf(status.initContainerStatuses, it.name)
      return queuedUnlessBegun(factsOf(it.name, stored, roleOfInit(it)))
    }),
    ...apps.map(queuedUnlessBegun)
  ]
}

export const statusOf = (
  statuses: ReadonlyArray<ContainerStatus> | undefined,
  name: string
): ContainerStatus | undefined => statuses?.find((status) => status.name === name)

/** That it is being created is not told apart from that it has to wait: it is looked at as if it had to. */
const queuedUnlessBegun = (facts: ContainerFacts): ContainerFacts =>
  facts.doing === "creating" && !hasBegun(facts) ? { ...facts, doing: "queued" } : facts

export const factsOf = (
  name: string,
  status: ContainerStatus | undefined,
  role: ContainerRole = "app"
): ContainerFacts => {
  const told = { ...untold, ...status }
  const { state, ready, started, restartCount } = told
  return {
    name,
    role,
    doing: doingOf(state),
    // An init container that is done is called ready, which it never is while it runs.
    ready: ready && state.running !== undefined,
    started,
    restartCount,
    lastExit: exitOf(told),
    crashes: crashesOf(told),
    pullError: pullErrorOf(state)
  }
}

/** What counts where nothing is said. */
interface Told {
  readonly state: Core.ContainerState
  readonly lastState: Core.ContainerState
  readonly ready: boolean
  readonly started: boolean
  readonly restartCount: number
}

const untold: Told = { state: {}, lastState: {}, ready: false, started: false, restartCount: 0 }

const doingOf = ({ running, terminated, waiting }: Core.ContainerState): ContainerDoing => {
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

/** The end of the run that is over, or else of the one before. */
const endOf = ({ state, lastState }: Told): Core.ContainerStateTerminated | undefined =>
  state.terminated ?? lastState.terminated

const exitOf = (told: Told): ContainerEnd | undefined => {
  const ended = endOf(told)
  return ended === undefined ? undefined : { code: ended.exitCode, reason: ended.reason ?? "Error" }
}

/** As many as have been; where the status says what is waited for, as many in a row as that takes. */
const crashesOf = (told: Told): number => {
  const { state, restartCount } = told
  const { waiting, terminated } = state
  if (waiting?.reason === "CrashLoopBackOff") return crashesOfMessage(waiting.message ?? "", restartCount + 1)
  const ended = endOf(told)
  if (ended === undefined) return 0
  const ran = millisOf(ended.finishedAt ?? "") - millisOf(ended.startedAt ?? "")
  if (ran >= forgivenAfterMillis) return 1
  return terminated === undefined ? restartCount : restartCount + 1
}

const pullErrorOf = ({ waiting }: Core.ContainerState): string | undefined =>
  waiting?.reason === "ErrImagePull" ? waiting.message : quotedError.exec(waiting?.message ?? "")?.[1]

/** Stands before the registry's words where the status says that a pull is waited for. */
export const pullErrorMark = ": ErrImagePull: "
const quotedError = new RegExp(`${pullErrorMark}(.*)$`, "su")

/** How long a container has been at what it does, as far as the stored status tells. */
export const elapsedMillis = (status: ContainerStatus | undefined, nowMillis: number): number => {
  const since =
    status?.state?.running?.startedAt ??
    status?.state?.terminated?.finishedAt ??
    status?.lastState?.terminated?.finishedAt
  return since === undefined ? 0 : Math.max(0, nowMillis - millisOf(since))
}
