import { conditionOf } from "../../domain/conditions.ts"
import { isReady } from "../../domain/pods.ts"
import { isTerminating } from "../../domain/ownerReferences.ts"
import { millisOf } from "../../domain/timestamps.ts"
import { shortAge } from "../../domain/ages.ts"
import { ageColumn, column, nameColumn, orNone } from "./column.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Pod } from "../../domain/objects.ts"
import type { Column } from "./column.ts"

/** Source: pkg/printers/internalversion/printers.go (printPod). */

type ContainerStatus = Readonly<Core.ContainerStatus>

const initStatusesOf = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  (pod.status as Core.PodStatus).initContainerStatuses ?? []
const statusesOf = (pod: Pod): ReadonlyArray<ContainerStatus> => pod.status.containerStatuses ?? []

/** An init container that goes on beside the others. */
const isSidecar = (pod: Pod, name: string): boolean =>
  (pod.spec.initContainers ?? []).some(
    (container) =>
      container.name === name && (container as { readonly restartPolicy?: string }).restartPolicy === "Always"
  )

const sidecarsOf = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  initStatusesOf(pod).filter(({ name }) => isSidecar(pod, name))

const readyText = (pod: Pod): string => {
  const ready = [...sidecarsOf(pod), ...statusesOf(pod)].filter(
    (it) => it.ready && it.state?.running !== undefined
  )
  const sidecars = (pod.spec.initContainers ?? []).filter(({ name }) => isSidecar(pod, name))
  return `${ready.length}/${pod.spec.containers.length + sidecars.length}`
}

/** The one word for how a Pod is. */
const statusWord = (pod: Pod): string => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  const isGated = scheduled?.reason === "SchedulingGated"
  const start = isGated ? "SchedulingGated" : (pod.status.reason ?? pod.status.phase)
  const word = initWord(pod) ?? containerWord(pod, start)
  const isOver = pod.status.phase === "Succeeded" || pod.status.phase === "Failed"
  if (!isTerminating(pod)) return word
  if (pod.status.reason === "NodeLost") return "Unknown"
  return isOver ? word : "Terminating"
}

/** The first init container that is not done speaks for the Pod; undefined when all are. */
const initWord = (pod: Pod): string | undefined => {
  const total = pod.spec.initContainers?.length ?? 0
  for (const [index, status] of initStatusesOf(pod).entries()) {
    const { terminated, waiting } = status.state ?? {}
    if (terminated?.exitCode === 0) continue
    if (isSidecar(pod, status.name) && status.started === true) continue
    if (terminated !== undefined) return `Init:${endWord(terminated)}`
    if (waiting?.reason !== undefined && waiting.reason !== "" && waiting.reason !== "PodInitializing") {
      return `Init:${waiting.reason}`
    }
    return `Init:${index}/${total}`
  }
  return undefined
}

const endWord = ({ reason, signal, exitCode }: Core.ContainerStateTerminated): string => {
  if (reason !== undefined && reason !== "") return reason
  return signal !== undefined && signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`
}

/** From the last container to the first, each overrules the one before. */
const containerWord = (pod: Pod, start: string): string => {
  let word = start
  let hasRunning = false
  let lastError: string | undefined
  for (const { state, ready } of statusesOf(pod).toReversed()) {
    if (state?.waiting?.reason !== undefined && state.waiting.reason !== "") word = state.waiting.reason
    else if (state?.terminated !== undefined) {
      word = endWord(state.terminated)
      if (state.terminated.exitCode !== 0) lastError = word
    } else if (ready && state?.running !== undefined) hasRunning = true
  }
  if (word !== "Completed") return word
  if (hasRunning) return isReady(pod) ? "Running" : "NotReady"
  return lastError ?? word
}

const restartsText = (pod: Pod, nowMillis: number): string => {
  const all = [...sidecarsOf(pod), ...statusesOf(pod)]
  const counted = initWord(pod) === undefined ? all : initStatusesOf(pod)
  const restarts = counted.reduce((sum, { restartCount }) => sum + restartCount, 0)
  const ends = counted.flatMap(({ lastState }) => {
    const finishedAt = lastState?.terminated?.finishedAt
    return finishedAt === undefined ? [] : [millisOf(finishedAt)]
  })
  return restarts === 0 || ends.length === 0
    ? String(restarts)
    : `${restarts} (${shortAge(nowMillis - Math.max(...ends))} ago)`
}

const gatesText = (pod: Pod): string => {
  const gates = pod.spec.readinessGates ?? []
  if (gates.length === 0) return "<none>"
  const open = gates.filter(
    ({ conditionType }) => conditionOf(pod.status.conditions, conditionType)?.status === "True"
  )
  return `${open.length}/${gates.length}`
}

export const podColumns: ReadonlyArray<Column> = [
  nameColumn,
  column<Pod>("Ready", { tells: "Ready containers out of all that it has." }, readyText),
  column<Pod>("Status", { tells: "How the Pod is, in one word." }, statusWord),
  column<Pod>(
    "Restarts",
    { tells: "How often its containers were started again, and when last." },
    restartsText
  ),
  ageColumn,
  column<Pod>("IP", { wide: true, tells: "Its address." }, ({ status }) => orNone(status.podIP)),
  column<Pod>("Node", { wide: true, tells: "The node it is bound to." }, ({ spec }) => orNone(spec.nodeName)),
  column<Pod>(
    "Nominated Node",
    { wide: true, tells: "The node it will be bound to when others have made room." },
    ({ status }) => orNone(status.nominatedNodeName)
  ),
  column<Pod>(
    "Readiness Gates",
    { wide: true, tells: "Conditions of others that hold, out of those it waits for." },
    gatesText
  )
]
