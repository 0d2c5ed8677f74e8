import { expect, it } from "vitest"
import { httpProbe, web } from "../verdicts/mistakenManifests.ts"
import { aPod } from "../../builders.ts"
import { makeReadyDelayTest } from "../../../src/plan/seeds/unprobedAnswers.ts"
import { parseAssumptions } from "../../../src/plan/assumptions.ts"
import { plan } from "../../../src/plan/plan.ts"

const probed = httpProbe("readinessProbe", "http", ", periodSeconds: 1")
const jobOf = (image: string) => `
apiVersion: batch/v1
kind: Job
metadata: { name: migrate }
spec:
  ttlSecondsAfterFinished: 60
  template: { spec: { restartPolicy: Never, containers: [{ name: app, image: "${image}" }] } }
`
const workerOf = (image: string) =>
  web({ name: "worker", image, selector: "{ app: worker }", labels: "{ app: worker }" }).replaceAll(
    "name: app,",
    "name: worker,"
  )

const durationBeside = async (besideOf?: (image: string) => string) => {
  const manifests = (image: string) =>
    [web({ image, container: probed }), ...(besideOf === undefined ? [] : [besideOf(image)])].join("\n---\n")
  const { rollouts } = await plan({
    from: manifests("app:1"),
    next: manifests("app:2"),
    assume: "schedule=0s,pull=0s,start=1s,terminate=1s",
    seeds: 3
  })
  return rollouts.find(({ name }) => name === "web")?.duration?.worst
}

it.each([
  { beside: "a Job", besideOf: jobOf },
  { beside: "another container", besideOf: workerOf }
])("$beside of the same image without a probe does not slow a container with one", async ({ besideOf }) => {
  expect(await durationBeside(besideOf)).toBe(await durationBeside())
})

it.each([
  { assume: "start=1s", isAssumed: false },
  { assume: "ready=1s", isAssumed: true }
])("$assume is read from a copy as it was given", ({ assume, isAssumed }) => {
  const parsed = parseAssumptions(assume)
  const behaviour = parsed.ok ? parsed.value.behaviour : undefined
  expect(behaviour).toBeDefined()
  const pod = aPod({ spec: { containers: [{ name: "app", image: "app:1" }] } })
  for (const it of [behaviour, structuredClone(behaviour)])
    expect(makeReadyDelayTest({ behaviour: it })(pod, "app")).toBe(isAssumed)
})
