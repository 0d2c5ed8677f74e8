import { expect, it } from "vitest"
import { plannedWorkloads } from "../../src/plan/plannedWorkloads.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { hookJob, webDeployment } from "../steering/steeredShop.ts"

const strategy = "canary: { steps: [{ approve: 1 }, { run: smoke }], hooks: { smoke: { job: smoke } } }"
const careful = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
const steered = webDeployment(strategy, { isGated: true, spec: careful })
const plain = webDeployment(undefined)

const smoke = hookJob("smoke:1")
const running = { ...smoke, spec: { ...smoke.spec, suspend: false } }

it.each([
  {
    why: "not the suspended Job of which a hook runs copies",
    objects: [steered, smoke, hookJob("smoke:1", "smoke-test")],
    ids: ["Deployment default/web", "Job default/smoke-test"]
  },
  {
    why: "a Job of a hook that runs itself",
    objects: [steered, running],
    ids: ["Deployment default/web", "Job default/smoke"]
  },
  {
    why: "a suspended Job beside a Deployment without hooks",
    objects: [plain, smoke],
    ids: ["Deployment default/web", "Job default/smoke"]
  }
])("a plan judges $why", ({ objects, ids }) => {
  const text = objects.map((object) => JSON.stringify(object)).join("\n---\n")
  const { documents } = readManifests([{ name: "all.yaml", text }], { strict: true })
  expect(plannedWorkloads({ next: documents }).map(({ id }) => id)).toEqual(ids)
})
