import { describe, expect, it } from "vitest"
import { plan } from "../../src/plan/plan.ts"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { withNodes } from "../../src/plan/nodesOption.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"

const node = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { capacity: { cpu: "4", memory: "8Gi", pods: "20" } }
})
const documentsOf = (...objects: Parameters<typeof readManifestObjects>[0]) =>
  readManifestObjects(objects).documents
const namesOf = (documents: ReturnType<typeof documentsOf> = []) =>
  documents.map(({ draft: { kind, metadata } }) => `${kind} ${metadata.name}`)

const [before, next] = [documentsOf(node("old"), deploymentManifest({})), documentsOf(node("new"))]

describe("the nodes of a plan are", () => {
  it("three if nothing says more", () => {
    expect(withNodes({ next: documentsOf(deploymentManifest({})) }, undefined).nodes).toBe(3)
  })

  it("those of the documents, which are there before the rollout", () => {
    const world = withNodes({ from: before, next }, undefined)
    expect(world.nodes).toBe(0)
    expect(namesOf(world.from)).toEqual(["Node new", "Node old", "Deployment web"])
  })

  it("those of the option, instead of those of the documents", () => {
    const world = withNodes({ from: before, next }, 5)
    expect(world.nodes).toBe(5)
    expect([namesOf(world.from), namesOf(world.next)]).toEqual([["Deployment web"], []])
  })

  it("the same in a program", async () => {
    const manifests = [node("only"), deploymentManifest({ replicas: 2 })]
    const [own, asked] = await Promise.all([
      plan({ next: manifests, seeds: 1, slowStart: 0 }),
      plan({ next: manifests, nodes: 2, seeds: 1, slowStart: 0 })
    ])
    expect([own.room.nodes, asked.room.nodes]).toEqual([1, 2])
  })
})
