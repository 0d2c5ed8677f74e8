import { describe, expect, it } from "vitest"
import {
  entriesAfterScale,
  scaleEntriesOf
} from "../../../../src/kubernetes/apply/managedFields/scaleOwnership.ts"
import { deployments } from "../../admission/drafts.ts"
import { deployment, ownersText, startManagedObject } from "./managedObject.ts"

const scaleEntry = (manager: string, operation = "Update", second = 30) => ({
  manager,
  operation,
  apiVersion: "autoscaling/v1",
  time: `2026-03-04T05:06:${second}Z`,
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:replicas": {} } },
  subresource: "scale"
})

const objectOfTwoManagers = () => {
  const managed = startManagedObject(deployments)
  managed.apply("ci", deployment({ replicas: 3, paused: true }))
  managed.update("edit", { ...managed.object(), spec: { replicas: 3, paused: true, minReadySeconds: 7 } })
  return managed
}

describe("the managed fields of a scale", () => {
  it("name the owner of the replicas, in the scale's version", () => {
    const entries = scaleEntriesOf(objectOfTwoManagers().entries(), deployments)
    expect(entries).toEqual([
      {
        manager: "ci",
        operation: "Apply",
        apiVersion: "autoscaling/v1",
        time: "2026-03-04T05:06:01Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:replicas": {} } }
      }
    ])
  })

  it("take the replicas from their owner when the scale is written", () => {
    const entries = objectOfTwoManagers().entries()
    const after = entriesAfterScale({ kind: deployments, entries, scaleEntries: [scaleEntry("hpa")] })
    expect(ownersText(after)).toEqual([
      "ci Apply: .spec.paused",
      "edit Update: .spec.minReadySeconds",
      "hpa Update/scale: .spec.replicas"
    ])
    expect(after.map(({ apiVersion }) => apiVersion)).toEqual(["apps/v1", "apps/v1", "apps/v1"])
  })

  it("leave the owners alone when the scale is not written", () => {
    const entries = objectOfTwoManagers().entries()
    const scaleEntries = scaleEntriesOf(entries, deployments)
    expect(entriesAfterScale({ kind: deployments, entries, scaleEntries })).toEqual(entries)
  })

  it("have both owners of an applied scale", () => {
    const entries = objectOfTwoManagers().entries()
    const scaleEntries = [...scaleEntriesOf(entries, deployments), scaleEntry("hpa", "Apply")]
    expect(ownersText(entriesAfterScale({ kind: deployments, entries, scaleEntries }))).toEqual([
      "ci Apply: .spec.paused .spec.replicas",
      "hpa Apply/scale: .spec.replicas",
      "edit Update: .spec.minReadySeconds"
    ])
  })

  it("have the time of the last write of one manager", () => {
    const { entries } = objectOfTwoManagers()
    const once = entriesAfterScale({
      kind: deployments,
      entries: entries(),
      scaleEntries: [scaleEntry("hpa")]
    })
    const twice = entriesAfterScale({
      kind: deployments,
      entries: once,
      scaleEntries: [scaleEntry("hpa", "Update", 45)]
    })
    expect(twice.at(-1)?.time).toBe("2026-03-04T05:06:45Z")
    expect(ownersText(twice)).toEqual(ownersText(once))
  })

  it("equal those of an update by the scale subresource", () => {
    const managed = objectOfTwoManagers()
    const entries = managed.entries()
    managed.update(
      "hpa",
      { ...managed.object(), spec: { replicas: 8, paused: true, minReadySeconds: 7 } },
      { subresource: "scale", nowMillis: Date.UTC(2026, 2, 4, 5, 6, 30) }
    )
    expect(entriesAfterScale({ kind: deployments, entries, scaleEntries: [scaleEntry("hpa")] })).toEqual(
      managed.entries()
    )
  })
})
