import { replicaSetTextByName, OutsideModel } from "./searchStep.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { ModelObjects } from "./modelObjects.ts"

/** The time of the model, which never passes. */
export const modelTimeMillis = Date.UTC(2026, 0, 1)

export interface StoredObjects {
  readonly deployment: Deployment
  readonly replicaSets: ReadonlyArray<ReplicaSet | undefined>
}

export interface CommandWrite {
  readonly stored: StoredObjects
  readonly what: (objects: ModelObjects) => string
  /** Set if the command gives a ReplicaSet a size: such a step is judged by the ledger's rules. */
  readonly resized?: { readonly before: ReplicaSet | undefined; readonly after: ReplicaSet }
  readonly minReadyChange?: MinReadyChange | undefined
}

/** A ReplicaSet whose `minReadySeconds` was raised, or set to 0. */
export interface MinReadyChange {
  readonly slot: number
  readonly isLonger: boolean
}

type WriteCommandType = Exclude<Command["type"], "report" | "showRevision" | "recordEvent" | "lookAgain">

/** Applies one command as the API server would store it. */
export const applyCommand = (
  stored: StoredObjects,
  command: Extract<Command, { readonly type: WriteCommandType }>
): CommandWrite => {
  switch (command.type) {
    case "createReplicaSet": {
      const after = toCreatedReplicaSet(command.replicaSet, stored.replicaSets)
      const { name } = after.metadata
      return {
        stored: { ...stored, replicaSets: placeInSlot(stored.replicaSets, after) },
        what: (at) => `created ReplicaSet ${replicaSetTextByName(at, name)} of ${after.spec.replicas}`,
        resized: { before: undefined, after }
      }
    }
    case "scaleReplicaSet": {
      const { name, replicasFrom, replicasTo, annotations } = command
      const before = findReplicaSet(stored, name)
      const after: ReplicaSet = {
        ...before,
        metadata: { ...before.metadata, annotations: { ...before.metadata.annotations, ...annotations } },
        spec: { ...before.spec, replicas: replicasTo },
        status:
          before.spec.replicas === replicasTo ? before.status : { ...before.status, observedGeneration: 0 }
      }
      return {
        stored: replaceReplicaSet(stored, name, after),
        what: (at) =>
          `scaled ReplicaSet ${replicaSetTextByName(at, name)} from ${replicasFrom} to ${replicasTo}`,
        resized: { before, after }
      }
    }
    case "renumberReplicaSet": {
      const { name, annotations, minReadySeconds } = command
      const before = findReplicaSet(stored, name)
      const spec = { ...before.spec, minReadySeconds }
      return {
        stored: replaceReplicaSet(stored, name, {
          ...before,
          metadata: { ...before.metadata, annotations },
          spec
        }),
        what: (at) => `renumbered ReplicaSet ${replicaSetTextByName(at, name)}`,
        minReadyChange: minReadyChangeOf(stored, before, minReadySeconds)
      }
    }
    case "deleteReplicaSet": {
      const { name } = command.child
      return { stored: replaceReplicaSet(stored, name, undefined), what: () => `deleted ReplicaSet ${name}` }
    }
    default:
      throw new OutsideModel(`a rollout with the command ${command.type} cannot be explored`)
  }
}

const findReplicaSet = ({ replicaSets }: StoredObjects, name: string): ReplicaSet => {
  const replicaSet = replicaSets.find((it) => it?.metadata.name === name)
  if (replicaSet === undefined) throw new OutsideModel(`there is no ReplicaSet ${name}`)
  return replicaSet
}

const replaceReplicaSet = (
  stored: StoredObjects,
  name: string,
  replacement: ReplicaSet | undefined
): StoredObjects => ({
  ...stored,
  replicaSets: stored.replicaSets.map((it) => (it?.metadata.name === name ? replacement : it))
})

/** A smaller value above 0 changes nothing: ready Pods still have to wait. */
const minReadyChangeOf = (
  { replicaSets }: StoredObjects,
  before: ReplicaSet,
  minReadySeconds: number
): MinReadyChange | undefined => {
  const { minReadySeconds: former = 0 } = before.spec
  if (former === minReadySeconds || (minReadySeconds > 0 && minReadySeconds < former)) return undefined
  return { slot: replicaSets.indexOf(before), isLonger: minReadySeconds > former }
}

/** A ReplicaSet as the API server stores it, a second younger than the one before. */
const toCreatedReplicaSet = (
  draft: Extract<Command, { readonly type: "createReplicaSet" }>["replicaSet"],
  before: StoredObjects["replicaSets"]
): ReplicaSet => {
  const name = draft.metadata.name ?? ""
  const index = before.filter((it) => it !== undefined).length
  return {
    apiVersion: draft.apiVersion,
    kind: draft.kind,
    metadata: {
      ...draft.metadata,
      name,
      uid: `uid-of-${name}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: timestampOf(modelTimeMillis + index * 1000)
    },
    // Comparisons of a frozen template are cached.
    spec: { ...draft.spec, template: Object.freeze(draft.spec.template) },
    status: { replicas: 0 }
  }
}

const placeInSlot = (
  replicaSets: StoredObjects["replicaSets"],
  created: ReplicaSet
): StoredObjects["replicaSets"] => {
  const [first, second] = replicaSets
  if (first === undefined && second === undefined) return [created, undefined]
  if (second !== undefined) throw new OutsideModel("a rollout with a third ReplicaSet cannot be explored")
  return [first, created]
}
