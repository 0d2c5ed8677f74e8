import { describe, expect, it } from "vitest"
import { expectedScale } from "../../../src/kubernetes/policy/expectedScale.ts"
import { aDeployment, aPod, aReplicaSet } from "../../builders.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

describe("the expected scale of a Pod's owner", () => {
  const web = aDeployment({ replicas: 7 })
  const lone = aReplicaSet({ version: "lone", replicas: 4, owner: null })
  const ofWeb = aReplicaSet({ version: "v1", replicas: 2, owner: web })
  const withoutReplicas = { ...lone, spec: {} }
  const { spec: _spec, ...withoutSpec } = lone
  const statefulSet = { ...ofWeb, kind: "StatefulSet" }

  it.each<{
    readonly why: string
    readonly owner: KubeObject
    readonly objects: KubeObject[]
    readonly expected: unknown
  }>([
    { why: "1 when the owner has no replicas field", owner: lone, objects: [withoutReplicas], expected: 1 },
    { why: "1 when the owner has no spec", owner: lone, objects: [withoutSpec], expected: 1 },
    {
      why: "a StatefulSet's replicas, even if a Deployment owns it",
      owner: statefulSet,
      objects: [web, statefulSet],
      expected: 2
    },
    {
      why: "a ReplicaSet's replicas when its Deployment is gone",
      owner: ofWeb,
      objects: [ofWeb],
      expected: 2
    },
    {
      why: "unknown when another object has the owner's name",
      owner: lone,
      objects: [{ ...lone, metadata: { ...lone.metadata, uid: "another" } }],
      expected: 'found no controllers for pod "p"'
    }
  ])("is $why", ({ owner, objects, expected }) => {
    const find = (resource: string, name: string) =>
      objects.find(({ kind, metadata }) => resource.startsWith(kind.toLowerCase()) && metadata.name === name)
    const scale = expectedScale([aPod({ name: "p", owner })], find)
    expect("failure" in scale ? scale.failure : scale.total).toBe(expected)
  })
})
