import { describe, expect, it } from "vitest"
import { expectedScale } from "../../../src/kubernetes/policy/expectedScale.ts"
import { aDeployment, aPod, aReplicaSet } from "../../builders.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

describe("how many Pods there should be", () => {
  const web = aDeployment({ replicas: 7 })
  const lone = aReplicaSet({ version: "lone", replicas: 4, owner: null })
  const ofWeb = aReplicaSet({ version: "v1", replicas: 2, owner: web })
  const withoutSize = { ...lone, spec: {} }
  const { spec: _spec, ...withoutSpec } = lone
  const statefulSet = { ...ofWeb, kind: "StatefulSet" }

  it.each<{
    readonly why: string
    readonly owner: KubeObject
    readonly world: KubeObject[]
    readonly answer: unknown
  }>([
    { why: "one where the owner does not say", owner: lone, world: [withoutSize], answer: 1 },
    { why: "and one where it says nothing at all", owner: lone, world: [withoutSpec], answer: 1 },
    {
      why: "what a StatefulSet says, whoever it belongs to: only ReplicaSets give way to a Deployment",
      owner: statefulSet,
      world: [web, statefulSet],
      answer: 2
    },
    { why: "what a ReplicaSet says whose Deployment is gone", owner: ofWeb, world: [ofWeb], answer: 2 },
    {
      why: "unknown where another has the owner's name by now",
      owner: lone,
      world: [{ ...lone, metadata: { ...lone.metadata, uid: "another" } }],
      answer: 'found no controllers for pod "p"'
    }
  ])("is $why", ({ owner, world, answer }) => {
    const find = (resource: string, name: string) =>
      world.find(({ kind, metadata }) => resource.startsWith(kind.toLowerCase()) && metadata.name === name)
    const scale = expectedScale([aPod({ name: "p", owner })], find)
    expect("failure" in scale ? scale.failure : scale.total).toBe(answer)
  })
})
