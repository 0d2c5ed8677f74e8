import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { manifestsDifference } from "../../../src/plan/base/changedDocuments.ts"
import { readManifestObjects } from "../../../src/manifests/readManifests.ts"
import { restartOfBase } from "../../../src/plan/base/restartOfBase.ts"
import { serviceManifest } from "../../builders.ts"

const documentsOf = (...objects: ReadonlyArray<object>) => readManifestObjects(objects).documents
const namesOf = (documents: ReturnType<typeof documentsOf>) =>
  documents.map(({ kind, draft }) => `${kind.kind}/${draft.metadata.name}`)

const web = deploymentManifest({ name: "web", version: "v1" })
const api = deploymentManifest({ name: "api", version: "v1" })
const service = serviceManifest()
const otherService = { ...service, spec: { ...service.spec, ports: [{ port: 81 }] } }

describe("the difference of two versions", () => {
  it.each([
    { when: "nothing changes", from: [web, service], next: [web, service], changed: [] },
    {
      when: "one Deployment changes",
      from: [web, api],
      next: [web, deploymentManifest({ name: "api", version: "v2" })],
      changed: ["Deployment/api"]
    },
    { when: "one is new", from: [web], next: [web, api], changed: ["Deployment/api"] },
    {
      when: "a Service in front of one of them changes",
      from: [web, api, service],
      next: [web, api, otherService],
      changed: ["Deployment/web", "Service/web"]
    },
    {
      when: "a Service lets go of one",
      from: [web, api, service],
      next: [web, api, { ...service, spec: { ...service.spec, selector: { app: "else" } } }],
      changed: ["Deployment/web", "Service/web"]
    }
  ])("is $changed when $when", ({ from, next, changed }) => {
    expect(namesOf(manifestsDifference(documentsOf(...from), documentsOf(...next)).changed)).toEqual(changed)
  })

  it("names the workloads that are gone", () => {
    const { removed } = manifestsDifference(documentsOf(web, api), documentsOf(web))
    expect(removed.map(({ id }) => id)).toEqual(["Deployment default/api"])
  })
})

describe("the rollout that a change is compared with", () => {
  it("is that of the workload as it was, by another annotation of its Pods", () => {
    const next = documentsOf(deploymentManifest({ name: "web", version: "v2" }))
    const world = restartOfBase({ from: documentsOf(web, api), next })
    const draft: unknown = world?.next[0]?.draft
    expect(namesOf(world?.next ?? [])).toEqual(["Deployment/web"])
    expect(draft).toMatchObject({
      spec: {
        template: {
          metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": expect.any(String) } },
          spec: { containers: [{ image: expect.any(String) }] }
        }
      }
    })
  })

  it("is none for a workload that is new", () => {
    expect(restartOfBase({ from: documentsOf(web), next: documentsOf(api) })).toBeUndefined()
  })
})
