import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import {
  entriesAfterScale,
  scaleEntriesOf
} from "../../../src/kubernetes/apply/managedFields/scaleOwnership.ts"
import { deployments } from "../admission/drafts.ts"
import { ownersText, startStory } from "./story.ts"

const deployment = (spec: Fields): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec
})

const scaler = (manager: string, operation = "Update", second = 30) => ({
  manager,
  operation,
  apiVersion: "autoscaling/v1",
  time: `2026-03-04T05:06:${second}Z`,
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:replicas": {} } },
  subresource: "scale"
})

const storyOfTwo = () => {
  const story = startStory(deployments)
  story.apply("ci", deployment({ replicas: 3, paused: true }))
  story.update("edit", { ...story.object(), spec: { replicas: 3, paused: true, minReadySeconds: 7 } })
  return story
}

describe("a scale", () => {
  it("is owned by who owns the replicas, in its own version", () => {
    const entries = scaleEntriesOf(storyOfTwo().entries(), deployments)
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

  it("that is written takes the replicas from who had them", () => {
    const entries = storyOfTwo().entries()
    const after = entriesAfterScale({ kind: deployments, entries, scaleEntries: [scaler("hpa")] })
    expect(ownersText(after)).toEqual([
      "ci Apply: .spec.paused",
      "edit Update: .spec.minReadySeconds",
      "hpa Update/scale: .spec.replicas"
    ])
    expect(after.map(({ apiVersion }) => apiVersion)).toEqual(["apps/v1", "apps/v1", "apps/v1"])
  })

  it("that nobody has written leaves its owners as they were", () => {
    const entries = storyOfTwo().entries()
    const scaleEntries = scaleEntriesOf(entries, deployments)
    expect(entriesAfterScale({ kind: deployments, entries, scaleEntries })).toEqual(entries)
  })

  it("that is shared is owned by both", () => {
    const entries = storyOfTwo().entries()
    const scaleEntries = [...scaleEntriesOf(entries, deployments), scaler("hpa", "Apply")]
    expect(ownersText(entriesAfterScale({ kind: deployments, entries, scaleEntries }))).toEqual([
      "ci Apply: .spec.paused .spec.replicas",
      "hpa Apply/scale: .spec.replicas",
      "edit Update: .spec.minReadySeconds"
    ])
  })

  it("that the same one writes again has the time of the last write", () => {
    const { entries } = storyOfTwo()
    const once = entriesAfterScale({ kind: deployments, entries: entries(), scaleEntries: [scaler("hpa")] })
    const twice = entriesAfterScale({
      kind: deployments,
      entries: once,
      scaleEntries: [scaler("hpa", "Update", 45)]
    })
    expect(twice.at(-1)?.time).toBe("2026-03-04T05:06:45Z")
    expect(ownersText(twice)).toEqual(ownersText(once))
  })

  it("is the same as an update of the replicas by way of the scale", () => {
    const story = storyOfTwo()
    const entries = story.entries()
    story.update(
      "hpa",
      { ...story.object(), spec: { replicas: 8, paused: true, minReadySeconds: 7 } },
      { subresource: "scale", nowMillis: Date.UTC(2026, 2, 4, 5, 6, 30) }
    )
    expect(entriesAfterScale({ kind: deployments, entries, scaleEntries: [scaler("hpa")] })).toEqual(
      story.entries()
    )
  })
})
