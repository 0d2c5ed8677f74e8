import { expect, it } from "vitest"
import { unboundVolume } from "../../../src/kubernetes/storage/volumeWrites.ts"
import type { PersistentVolume } from "../../../src/kubernetes/storage/storageTypes.ts"

const reserved = { name: "data", namespace: "shop" }
const bound = { ...reserved, uid: "u1", resourceVersion: "7" }
const boundBefore = { ...reserved, resourceVersion: "7" }
const marked = { "pv.kubernetes.io/bound-by-controller": "yes" }

interface Row {
  readonly why: string
  readonly claimRef?: object
  readonly annotations?: object
  readonly left?: object
}

it.each<Row>([
  { why: "that the controller has bound loses its claim", claimRef: bound, annotations: marked },
  { why: "that a user has reserved stays reserved", claimRef: bound, left: boundBefore },
  { why: "that is only reserved stays as it is", claimRef: reserved, left: reserved },
  { why: "without a claim stays as it is" }
])("a volume $why, when it is unbound", ({ claimRef, annotations, left }) => {
  const volume = (ref: object | undefined, notes: object | undefined): PersistentVolume =>
    ({
      metadata: { name: "disk", ...(notes === undefined ? {} : { annotations: notes }) },
      spec: { capacity: { storage: "1Gi" }, ...(ref === undefined ? {} : { claimRef: ref }) }
    }) as unknown as PersistentVolume
  expect(unboundVolume(volume(claimRef, annotations))).toStrictEqual(volume(left, undefined))
})
