import { conditionOf } from "../../domain/conditions.ts"
import { millisOf } from "../../domain/timestamps.ts"
import { shortAge } from "../../domain/ages.ts"
import {
  isSidecar,
  podWord,
  restartsShown,
  sidecarsOf,
  speakingOf,
  statusesOf
} from "../../domain/podWords.ts"
import { ageColumn, column, nameColumn, orNone } from "./column.ts"
import type { Pod } from "../../domain/objects.ts"
import type { Column } from "./column.ts"

/** Source: pkg/printers/internalversion/printers.go (printPod). */

const readyText = (pod: Pod): string => {
  const ready = [...sidecarsOf(pod), ...statusesOf(pod)].filter(
    (it) => it.ready && it.state?.running !== undefined
  )
  const sidecars = (pod.spec.initContainers ?? []).filter(({ name }) => isSidecar(pod, name))
  return `${ready.length}/${pod.spec.containers.length + sidecars.length}`
}

const restartsText = (pod: Pod, nowMillis: number): string => {
  const restarts = restartsShown(pod)
  const ends = speakingOf(pod).flatMap(({ lastState }) => {
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
  column<Pod>("Status", { tells: "How the Pod is, in one word." }, podWord),
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
