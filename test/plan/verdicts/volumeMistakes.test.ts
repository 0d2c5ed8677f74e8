import { describe, expect, it } from "vitest"
import { claim, objectText, volumesOfClaim, web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const foreignClass = (annotations: string): string =>
  objectText("storage.k8s.io/v1", "StorageClass", "fast", "provisioner: disks.example.com").replace(
    "{ name: fast }",
    `{ name: fast, annotations: { ${annotations} } }`
  )
const byDefault = "storageclass.kubernetes.io/is-default-class: 'true'"

const rows: ReadonlyArray<Mistake> = [
  {
    why: "a claim without a class waits for the driver of the default class",
    next: [web({ replicas: 1, pod: volumesOfClaim }), claim, foreignClass(byDefault)],
    verdict: "unknown",
    reasons: ["claim data waits for disks.example.com, the provisioner of StorageClass/fast"]
  },
  {
    why: "the class of another driver is not the default",
    next: [web({ replicas: 1, pod: volumesOfClaim }), claim, foreignClass("team: storage")],
    verdict: "ships"
  },
  {
    why: "a claim without a class refuses the default one",
    next: [
      web({ replicas: 1, pod: volumesOfClaim }),
      claim.replace("spec: {", 'spec: { storageClassName: "",'),
      foreignClass(byDefault)
    ],
    verdict: "ships"
  }
]

describe("what volumes make of a verdict", () => {
  it.each(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})
