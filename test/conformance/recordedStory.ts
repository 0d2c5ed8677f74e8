import { resolve } from "node:path"
import { readUpstreamRecordings } from "../../src/scenario/conformance/readUpstreamRecordings.ts"
import type { UpstreamRecording } from "../../src/scenario/conformance/upstreamWorkload.ts"

/** A recording of a Deployment whose only Pod becomes ready; `readyPods` changes what the recording expects. */
export const recordedStory = ({ readyPods = 1 } = {}): UpstreamRecording => {
  const [story] = readUpstreamRecordings([resolve(import.meta.dirname, "one.jsonl")])
  if (story === undefined) throw new Error("the file of the story is empty")
  const text = JSON.stringify(story)
  // The story comes from JSON and is of the same shape afterwards.
  return JSON.parse(text.replace(/("ready":)1(,"failed")/, `$1${readyPods}$2`)) as UpstreamRecording
}
