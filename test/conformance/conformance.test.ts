import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { traceStep, replayRecording } from "../../src/scenario/conformance/replayRecording.ts"
import { readUpstreamRecordings } from "../../src/scenario/conformance/readUpstreamRecordings.ts"
import { aStory } from "./aStory.ts"

/** Recordings of a real control plane lie beside the project where there are any; they are too many to keep in it. */
const folder = resolve(import.meta.dirname, "../../../shared/conformance")
const stories = existsSync(folder) ? readUpstreamRecordings([folder]) : []

describe("a recorded rollout, played again", () => {
  it.skipIf(stories.length > 0)("is not to be had here: no recordings lie beside the project", () => {
    expect(stories).toEqual([])
  })

  it.each(stories)("comes out as it was recorded: $id", async (story) => {
    expect(await Effect.runPromise(replayRecording(story))).toEqual([])
  })
})

describe("a difference", () => {
  it("is told with its story, step and field, what was expected and what is found", async () => {
    expect(await Effect.runPromise(replayRecording(aStory()))).toEqual([])
    const differences = await Effect.runPromise(replayRecording(aStory({ readyPods: 2 })))
    expect(differences).toEqual([
      { story: "one", step: 2, did: "ready", field: "pods.v1.ready", expected: 2, found: 1 }
    ])
  })

  it("can be followed back through the writes and the chart states of its step", async () => {
    const lines = await Effect.runPromise(traceStep(aStory({ readyPods: 2 }), 2))
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
