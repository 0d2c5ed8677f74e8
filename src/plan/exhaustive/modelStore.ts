import { OutsideModel } from "./searchStep.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { DeploymentWrite } from "../../kubernetes/apps/deploymentWrites.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"

export interface StoredObjects {
  readonly deployment: Deployment
  readonly replicaSets: ReadonlyArray<ReplicaSet | undefined>
}

type ModelWrite = Exclude<DeploymentWrite, { readonly type: "updateDeployment" }>

export const withWrite = (stored: StoredObjects, write: ModelWrite, nowMillis: number): StoredObjects => {
  switch (write.type) {
    case "createReplicaSet":
      return { ...stored, replicaSets: withReplicaSetAdded(stored.replicaSets, write.replicaSet, nowMillis) }
    case "updateReplicaSet": {
      const before = stored.replicaSets.find((replicaSet) => replicaSet?.metadata.name === write.name)
      if (before === undefined) throw new OutsideModel(`there is no ReplicaSet ${write.name}`)
      return replaceReplicaSet(stored, write.name, withUnobservedSize(before, write.change(before)))
    }
    case "deleteReplicaSet":
      return replaceReplicaSet(stored, write.child.name, undefined)
  }
}

/** The first status write gives a Deployment an annotations map, even an empty one. */
export const withWrittenStatus = (
  stored: StoredObjects,
  { metadata, ...rest }: Deployment
): StoredObjects => ({
  ...stored,
  deployment: { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations } } }
})

const replaceReplicaSet = (
  stored: StoredObjects,
  name: string,
  replacement: ReplicaSet | undefined
): StoredObjects => ({
  ...stored,
  replicaSets: stored.replicaSets.map((replicaSet) =>
    replicaSet?.metadata.name === name ? replacement : replicaSet
  )
})

/** In the model every generation is 1. An observed generation of 0 marks a size that is not observed yet. */
const withUnobservedSize = (before: ReplicaSet, after: ReplicaSet): ReplicaSet =>
  after.spec.replicas === before.spec.replicas
    ? after
    : { ...after, status: { ...after.status, observedGeneration: 0 } }

const withReplicaSetAdded = (
  replicaSets: StoredObjects["replicaSets"],
  draft: Extract<ModelWrite, { readonly type: "createReplicaSet" }>["replicaSet"],
  nowMillis: number
): StoredObjects["replicaSets"] => {
  const [older, newer] = replicaSets
  if (newer !== undefined) throw new OutsideModel("a rollout with a third ReplicaSet cannot be explored")
  return older === undefined
    ? [toCreatedReplicaSet(draft, nowMillis), undefined]
    : [older, toCreatedReplicaSet(draft, nowMillis + newerByMillis)]
}

/** The newer ReplicaSet is created this much later, since ReplicaSets are ordered by their creation. */
const newerByMillis = 1000

const toCreatedReplicaSet = (
  { metadata, ...draft }: Extract<ModelWrite, { readonly type: "createReplicaSet" }>["replicaSet"],
  createdMillis: number
): ReplicaSet => {
  const { name = "" } = metadata
  return {
    apiVersion: draft.apiVersion,
    kind: draft.kind,
    metadata: {
      ...metadata,
      name,
      uid: `uid-of-${name}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: timestampOf(createdMillis)
    },
    spec: { ...draft.spec, template: Object.freeze(draft.spec.template) },
    status: { replicas: 0 }
  }
}

export const resizedReplicaSets = (from: StoredObjects, to: StoredObjects) =>
  to.replicaSets.flatMap((after, position) => {
    const before = from.replicaSets[position]
    return after === undefined || after.spec.replicas === before?.spec.replicas ? [] : [{ before, after }]
  })

export interface MinReadySecondsChange {
  readonly position: number
  readonly change: "raised" | "setToZero"
}

/** After a decrease to more than 0, ready Pods of the model still wait to be available. */
export const findMinReadySecondsChange = (
  from: StoredObjects,
  to: StoredObjects
): MinReadySecondsChange | undefined => {
  for (const [position, after] of to.replicaSets.entries()) {
    const before = from.replicaSets[position]
    if (before === undefined || after === undefined) continue
    const secondsBefore = before.spec.minReadySeconds ?? 0
    const seconds = after.spec.minReadySeconds ?? 0
    if (seconds > secondsBefore || (seconds === 0 && secondsBefore > 0))
      return { position, change: seconds > secondsBefore ? "raised" : "setToZero" }
  }
  return undefined
}
