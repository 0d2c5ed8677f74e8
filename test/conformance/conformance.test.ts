import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { traceStep, replayRecording } from "../../src/scenario/conformance/replayRecording.ts"
import { readUpstreamRecordings } from "../../src/scenario/conformance/readUpstreamRecordings.ts"
import { recordedStory, restartedJobStory } from "./recordedStory.ts"

/** Recordings of a real control plane; too large for the repository. */
const folder = resolve(import.meta.dirname, "../../../shared/conformance")
const folders = [folder, join(folder, "workloads")].filter((it) => existsSync(it))
const stories = readUpstreamRecordings(folders)

describe("a recorded story, replayed", () => {
  it.skipIf(stories.length > 0)("is skipped when no recordings lie beside the project", () => {
    expect(stories).toEqual([])
  })

  it.each(stories)("matches the recording: $id", async (story) => {
    expect(await Effect.runPromise(replayRecording(story))).toEqual([])
  })

  it("reaps the Pods of a failed Job only once the Job has deleted them", async () => {
    expect(await Effect.runPromise(replayRecording(restartedJobStory()))).toEqual([])
  })
})

describe("a difference from a recording", () => {
  it("names story, step, field, expected value and found value", async () => {
    expect(await Effect.runPromise(replayRecording(recordedStory()))).toEqual([])
    const differences = await Effect.runPromise(replayRecording(recordedStory({ readyPods: 2 })))
    expect(differences).toEqual([
      { story: "one", step: 2, did: "ready", field: "pods.v1.ready", expected: 2, found: 1 }
    ])
  })

  it("is explained by the writes and the chart states of its step", async () => {
    const lines = await Effect.runPromise(traceStep(recordedStory({ readyPods: 2 }), 2))
    expect(lines.map((line) => line.replaceAll(/d-[b-f4-9]+(-\w{5})?/g, "d-X"))).toEqual([
      "00:00:02.000  Pod d-X of d-X written: notReady",
      "00:00:02.000  Pod d-X of d-X written: ready",
      "00:00:02.000  ReplicaSet d-X written: 1 wanted, 1 there, 1 ready, 1 available",
      "              deployment/default/d is in rollout.rollingUpdate.awaitingPods, progress.complete, check.ahead, availability.available",
      "00:00:02.000  Deployment d written: 1 wanted, 1 there, 1 ready, 1 available, " +
        "Available=True MinimumReplicasAvailable, Progressing=True NewReplicaSetAvailable",
      "              deployment/default/d is in rollout.complete, progress.complete, check.ahead, availability.available"
    ])
  })
})
