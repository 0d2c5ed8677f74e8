import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import {
  podStatusText,
  shownRestarts,
  sidecarStatuses,
  shownContainerStatuses,
  appContainerStatuses
} from "../../kubernetes/pods/podStatusText.ts"
import { isSidecar } from "../../kubernetes/pods/containers/containerRoles.ts"
import { ageColumn, makeColumn, nameColumn, textOrNone } from "./tableColumn.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

/** Source: pkg/printers/internalversion/printers.go (printPod). */

const readyText = (pod: Pod): string => {
  const ready = [...sidecarStatuses(pod), ...appContainerStatuses(pod)].filter(
    (it) => it.ready && it.state?.running !== undefined
  )
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar)
  return `${ready.length}/${pod.spec.containers.length + sidecars.length}`
}

const restartsText = (pod: Pod, nowMillis: number): string => {
  const restarts = shownRestarts(pod)
  const ends = shownContainerStatuses(pod).flatMap(({ lastState }) => {
    const finishedAt = lastState?.terminated?.finishedAt
    return finishedAt === undefined ? [] : [timestampMillis(finishedAt)]
  })
  return restarts === 0 || ends.length === 0
    ? String(restarts)
    : `${restarts} (${shortAge(nowMillis - Math.max(...ends))} ago)`
}

const gatesText = (pod: Pod): string => {
  const gates = pod.spec.readinessGates ?? []
  if (gates.length === 0) return "<none>"
  const passedGates = gates.filter(
    ({ conditionType }) => conditionOf(pod.status.conditions, conditionType)?.status === "True"
  )
  return `${passedGates.length}/${gates.length}`
}

export const podColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  makeColumn<Pod>("Ready", { description: "Ready containers, out of all containers of the Pod." }, readyText),
  makeColumn<Pod>("Status", { description: "The state of the Pod, in one word." }, podStatusText),
  makeColumn<Pod>(
    "Restarts",
    { description: "How often the containers were restarted, and when last." },
    restartsText
  ),
  ageColumn,
  makeColumn<Pod>("IP", { wide: true, description: "The IP address of the Pod." }, ({ status }) =>
    textOrNone(status.podIP)
  ),
  makeColumn<Pod>("Node", { wide: true, description: "The node that the Pod is bound to." }, ({ spec }) =>
    textOrNone(spec.nodeName)
  ),
  makeColumn<Pod>(
    "Nominated Node",
    {
      wide: true,
      description: "The node that the Pod will be bound to once other Pods were preempted there."
    },
    ({ status }) => textOrNone(status.nominatedNodeName)
  ),
  makeColumn<Pod>(
    "Readiness Gates",
    { wide: true, description: "Readiness gates whose condition is True, out of all." },
    gatesText
  )
]
