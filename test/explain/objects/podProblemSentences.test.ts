import { expect, it } from "vitest"
import { podProblemSentences } from "../../../src/explain/objects/podProblemSentences.ts"
import { newPod } from "./rolloutObjects.ts"

const environment = { events: [], minReadySeconds: 0, nowMillis: 0, nodes: new Map() }

it.each([
  { finalizers: undefined, blockingSentences: [] },
  { finalizers: ["batch.kubernetes.io/job-tracking"], blockingSentences: [] },
  { finalizers: ["foregroundDeletion"], blockingSentences: [] },
  { finalizers: ["x.io/y"], blockingSentences: ["1 old Pod is terminating, held by finalizer x.io/y."] }
])("a terminating Pod stops a rollout only while a client's finalizer holds it: $finalizers", (row) => {
  const { finalizers, blockingSentences } = row
  const pod = newPod({ terminating: true })
  const metadata = { ...pod.metadata, deletionTimestamp: "1970-01-01T00:00:00Z" }
  const held = { ...pod, metadata: finalizers === undefined ? metadata : { ...metadata, finalizers } }
  expect(podProblemSentences([held], environment, "old").blockingSentences).toEqual(blockingSentences)
})
