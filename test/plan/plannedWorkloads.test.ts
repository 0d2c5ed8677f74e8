import { expect, it } from "vitest"
import { plannedWorkloads } from "../../src/plan/plannedWorkloads.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { webDeployment } from "../steering/steeredShop.ts"

const strategy = "canary: { steps: [{ approve: 1 }, { run: smoke }], hooks: { smoke: { job: smoke } } }"
const careful = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
const steered = webDeployment(strategy, { isGated: true, spec: careful })
const plain = webDeployment(undefined)

const job = (name: string, suspend: boolean) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: {
    suspend,
    template: { spec: { restartPolicy: "Never", containers: [{ name: "smoke", image: "smoke:1" }] } }
  }
})

it.each([
  {
    why: "not the suspended Job of which a hook runs copies",
    objects: [steered, job("smoke", true), job("smoke-test", true)],
    ids: ["Deployment default/web", "Job default/smoke-test"]
  },
  {
    why: "a Job of a hook that runs itself",
    objects: [steered, job("smoke", false)],
    ids: ["Deployment default/web", "Job default/smoke"]
  },
  {
    why: "a suspended Job beside a Deployment without hooks",
    objects: [plain, job("smoke", true)],
    ids: ["Deployment default/web", "Job default/smoke"]
  }
])("a plan judges $why", ({ objects, ids }) => {
  const text = objects.map((object) => JSON.stringify(object)).join("\n---\n")
  const { documents } = readManifests([{ name: "all.yaml", text }], { strict: true })
  expect(plannedWorkloads({ next: documents }).map(({ id }) => id)).toEqual(ids)
})
