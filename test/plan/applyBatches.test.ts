import { describe, expect, it } from "vitest"
import { applyBatches } from "../../src/plan/applyBatches.ts"
import { plan } from "../../src/plan/plan.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { web } from "./verdicts/mistakenManifests.ts"

const apartFrom = (app: string, more = ""): string =>
  `affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: ${app} } }${more} }] } }`
const deployment = (name: string, pod?: string): string =>
  web({
    name,
    replicas: 1,
    selector: `{ app: ${name} }`,
    labels: `{ app: ${name} }`,
    ...(pod === undefined ? {} : { pod })
  })
const probes = ["a", "b", "c"].map((name) => deployment(name, apartFrom("echo")))

const batchesOf = (next: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string | undefined>> => {
  const { documents } = readManifests([{ name: "web.yaml", text: next.join("\n---\n") }], { strict: true })
  return applyBatches(documents).map((batch) => batch.map(({ draft }) => draft.metadata.name))
}

describe("workloads are applied one after another", () => {
  it.each([
    {
      why: "where one keeps the Pods of another away",
      next: [deployment("echo"), deployment("a", apartFrom("echo"))],
      batches: [["echo"], ["a"]]
    },
    {
      why: "where one keeps those of all namespaces away",
      next: [
        deployment("echo"),
        deployment("a", apartFrom("echo", ", namespaces: [shop], namespaceSelector: {}"))
      ],
      batches: [["echo"], ["a"]]
    },
    {
      why: "not where it keeps its own Pods apart",
      next: [deployment("echo"), deployment("a", apartFrom("a"))],
      batches: [["echo", "a"]]
    },
    {
      why: "not where it keeps away those of another namespace",
      next: [deployment("echo"), deployment("a", apartFrom("echo", ", namespaces: [shop]"))],
      batches: [["echo", "a"]]
    }
  ])("$why", ({ next, batches }) => {
    expect(batchesOf(next)).toEqual(batches)
  })
})

describe("the order of the files decides which Pods find a node", () => {
  it.each([
    { why: "those that come first", next: [deployment("echo"), ...probes], stuck: 0 },
    { why: "not those for which no node is left", next: [...probes, deployment("echo")], stuck: 10 }
  ])("$why", async ({ next, stuck }) => {
    const { rollouts } = await plan({ next: next.join("\n---\n"), seeds: 10, slowStart: 0 })
    expect(rollouts.find(({ name }) => name === "echo")?.stuck).toBe(stuck)
  })
})
