import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { deploymentManifest } from "../cluster/testCluster.ts"
import { isPodTerminating } from "../../src/kubernetes/pods/podState.ts"
import { isUnreadable } from "../../src/recording/readEntry.ts"
import { makeSeedPlayer } from "../../src/plan/seeds/playSeed.ts"
import { parseAssumptions } from "../../src/plan/assumptions.ts"
import { playStory, recordStory } from "../../src/scenario/stories/playing/playStory.ts"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { readRecording } from "../../src/recording/readRecording.ts"
import { readStory } from "../../src/scenario/stories/reading/readStory.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import { complete, setImage, storyOf } from "../cli/harness/storyFiles.ts"

const recordingOf = (text = "") => {
  const recording = readRecording(text)
  if (isUnreadable(recording)) throw new Error(recording.problem)
  return recording
}

it("a plan's phases are in the recording of their seed, to the millisecond and the Pod", async () => {
  const spec = {
    strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } },
    progressDeadlineSeconds: 10
  }
  const documentsOf = (version: string) =>
    readManifestObjects([deploymentManifest({ replicas: 4, version, spec })]).documents
  const assumed = parseAssumptions("start=5s..15s,ready=5s..25s,crash=5%")
  if (!assumed.ok) throw new Error("these are assumptions")
  const { behaviour, traffic } = assumed.value
  const play = makeSeedPlayer({
    from: documentsOf("v1"),
    next: documentsOf("v2"),
    traffic,
    ...(behaviour === undefined ? {} : { behaviour })
  })
  const { rollouts, recorded } = await Effect.runPromise(play(3, { undo: false, isRecorded: true }))
  const [run] = rollouts.values()
  const { entries } = recordingOf(recorded?.text)
  const momentOf = (pattern: RegExp): number | undefined =>
    entries.find((entry) => entry.type === "note" && pattern.test(entry.text))?.atMillis
  const beganMillis = momentOf(/^apply Deployment/) ?? Number.NaN
  expect(run?.phases.map(({ what }) => what).join()).toMatch(/deadline missed.*complete/)
  expect((momentOf(/is complete$/) ?? 0) - beganMillis).toBe(run?.millis)
  const podsAt = (atMillis: number): ReadonlyArray<Pod> => {
    const pods = new Map<string, Pod>()
    for (const entry of entries) {
      if (entry.atMillis > atMillis || entry.type !== "object" || entry.resource !== "pods") continue
      const { name } = entry.object.metadata
      if (entry.change === "DELETED") pods.delete(name)
      else pods.set(name, entry.object as Pod)
    }
    return [...pods.values()]
  }
  const shown = run?.phases.map(({ atMillis, pods, terminating }) => ({ atMillis, pods, terminating }))
  expect(shown).toEqual(
    shown?.map(({ atMillis }) => {
      const pods = podsAt(beganMillis + atMillis)
      const terminating = pods.filter(isPodTerminating).length
      return { atMillis, pods: pods.length - terminating, terminating }
    })
  )
})

it("a story's faults are in the recording of its seed, each with its number and to the millisecond", async () => {
  const text = storyOf({
    name: "faulty",
    steps: [
      setImage,
      { fault: "kill", pods: { deployment: "web", count: 1 } },
      { at: "2s", fault: "nodeLost", node: "node-1", for: "5s" },
      complete
    ]
  })
  const story = await Effect.runPromise(readStory(text, "story.yaml"))
  const { faults, steps } = await Effect.runPromise(playStory(story, 1))
  const { recorded } = await Effect.runPromise(recordStory(story, 1))
  const { entries } = recordingOf(recorded.text)
  // The story begins when what runs before is up.
  const firstStep = entries.find((entry) => entry.type === "note" && entry.step === 1)
  const beganMillis = (firstStep?.atMillis ?? Number.NaN) - (steps[0]?.beganMillis ?? Number.NaN)
  const momentsOf = (change: "BEGAN" | "ENDED") =>
    entries.flatMap((entry) =>
      entry.type === "fault" && entry.change === change
        ? [[entry.text, entry.atMillis - beganMillis] as const]
        : []
    )
  expect(faults.map((it) => [it.text, it.beganMillis])).toEqual(momentsOf("BEGAN"))
  expect(faults.map((it) => [it.text, it.endedMillis])).toEqual(momentsOf("ENDED"))
})
