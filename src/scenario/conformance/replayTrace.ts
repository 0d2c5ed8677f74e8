import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { podCategory } from "./movedPods.ts"
import type { InspectionEvent } from "xstate"
import type { Deployment, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"

export interface ReplayTrace {
  readonly beginStep: (step: number) => void
  readonly addChange: (change: Change, atMillis: number) => void
  readonly addInspection: (event: InspectionEvent) => void
  readonly linesOfStep: (step: number) => ReadonlyArray<string>
}

export const makeReplayTrace = (): ReplayTrace => {
  const linesByStep = new Map<number, Array<string>>()
  const stateByActor = new Map<string, string>()
  let lines: Array<string> = []
  return {
    beginStep: (step) => {
      lines = []
      linesByStep.set(step, lines)
    },
    addChange: (change, atMillis) => {
      const line = changeLine(change)
      if (line !== undefined) lines.push(`${new Date(atMillis).toISOString().slice(11, 23)}  ${line}`)
    },
    addInspection: (event) => {
      if (event.type !== "@xstate.snapshot") return
      const id = "id" in event.actorRef ? String(event.actorRef.id) : ""
      if (!/^(deployment|replicaSet|statefulSet|daemonSet|job)\//.test(id) || !("value" in event.snapshot))
        return
      const state = stateText(event.snapshot.value)
      if (stateByActor.get(id) === state) return
      stateByActor.set(id, state)
      // Aligned after the time of the other lines.
      lines.push(`              ${id} is in ${state}`)
    },
    linesOfStep: (step) => linesByStep.get(step) ?? []
  }
}

/** Texts such as `rollout.complete, progress.complete, check.ahead, availability.available`. */
const stateText = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  return Object.entries(value)
    .map(([region, inner]) => `${region}.${stateText(inner)}`)
    .join(", ")
}

const changeVerbs = { ADDED: "created", MODIFIED: "written", DELETED: "gone" } as const

const changeLine = ({ type, resource, object }: Change): string | undefined => {
  const verb = changeVerbs[type]
  const { name } = object.metadata
  switch (resource) {
    case resources.deployments: {
      const { spec, status } = object as Deployment
      return `Deployment ${name} ${verb}: ${spec.replicas} wanted, ${countsText(status)}, ${conditionsText(status.conditions)}`
    }
    case resources.replicaSets: {
      const { spec, status } = object as ReplicaSet
      return `ReplicaSet ${name} ${verb}: ${spec.replicas} wanted, ${countsText(status)}`
    }
    case resources.pods:
      return `Pod ${name} of ${controllerOf(object)?.name ?? "no owner"} ${verb}: ${podCategory(object as Pod)}`
    case resources.events: {
      const { reason, message, involvedObject } = normalizeEvent(object)
      return `Event of ${involvedObject.kind} ${involvedObject.name}: ${reason} ${message}`
    }
    default:
      return undefined
  }
}

const countsText = (status: {
  readonly replicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
}): string =>
  `${status.replicas ?? 0} there, ${status.readyReplicas ?? 0} ready, ${status.availableReplicas ?? 0} available`

const conditionsText = (
  conditions: ReadonlyArray<{ readonly type: string; readonly status: string; readonly reason?: string }> = []
): string => conditions.map(({ type, status, reason }) => `${type}=${status} ${reason ?? ""}`).join(", ")
