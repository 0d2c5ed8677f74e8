import { crashesOfMessage, forgivenAfterMillis } from "./backOff.ts"
import { hasBegun, roleOfInit } from "./containers.ts"
import { millisOf } from "./timestamps.ts"
import type { ContainerDoing, ContainerEnd, ContainerFacts, ContainerRole } from "./containers.ts"
import type { ContainerStatus, Pod } from "./objects.ts"

/** What a stored status says of containers, so that an actor made anew goes on where the old one was. */

/** All containers of a Pod, those for init first; after one whose turn has not come, none has begun. */
export const storedContainers = ({ spec, status }: Pod): ReadonlyArray<ContainerFacts> => {
  const inits = spec.initContainers ?? []
  const apps = spec.containers.map(({ name }) => factsOf(name, statusOf(status.containerStatuses, name)))
  if (inits.length === 0) return apps
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
  const doing = doingOf(status)
  return {
    name,
    role,
    doing,
    // An init container that is done is called ready, which it never is while it runs.
    ready: doing === "running" && (status?.ready ?? false),
    started: status?.started ?? false,
    restartCount: status?.restartCount ?? 0,
    lastExit: exitOf(status),
    crashes: crashesOf(status),
    pullError: pullErrorOf(status)
  }
}

const doingOf = (status: ContainerStatus | undefined): ContainerDoing => {
  if (status?.state?.running !== undefined) return "running"
  if (status?.state?.terminated !== undefined) return "terminated"
  switch (status?.state?.waiting?.reason) {
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

const exitOf = (status: ContainerStatus | undefined): ContainerEnd | undefined => {
  const ended = status?.state?.terminated ?? status?.lastState?.terminated
  return ended === undefined ? undefined : { code: ended.exitCode, reason: ended.reason ?? "Error" }
}

/** As many as have been; where the status says what is waited for, as many in a row as that takes. */
const crashesOf = (status: ContainerStatus | undefined): number => {
  if (status === undefined) return 0
  const { state, lastState, restartCount } = status
  const waiting = state?.waiting
  if (waiting?.reason === "CrashLoopBackOff") return crashesOfMessage(waiting.message ?? "", restartCount + 1)
  const ended = state?.terminated ?? lastState?.terminated
  if (ended === undefined) return 0
  const ran = millisOf(ended.finishedAt ?? "") - millisOf(ended.startedAt ?? "")
  if (ran >= forgivenAfterMillis) return 1
  return state?.terminated === undefined ? restartCount : restartCount + 1
}

const pullErrorOf = (status: ContainerStatus | undefined): string | undefined => {
  const { reason, message = "" } = status?.state?.waiting ?? {}
  if (reason === "ErrImagePull") return message
  const begin = message.indexOf(pullErrorMark)
  return reason === "ImagePullBackOff" && begin >= 0 ? message.slice(begin + pullErrorMark.length) : undefined
}

/** Stands before the registry's words where the status says that a pull is waited for. */
export const pullErrorMark = ": ErrImagePull: "

/** How long a container has been at what it does, as far as the stored status tells. */
export const elapsedMillis = (status: ContainerStatus | undefined, nowMillis: number): number => {
  const since =
    status?.state?.running?.startedAt ??
    status?.state?.terminated?.finishedAt ??
    status?.lastState?.terminated?.finishedAt
  return since === undefined ? 0 : Math.max(0, nowMillis - millisOf(since))
}
