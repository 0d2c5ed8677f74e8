import { resolve } from "node:path"
import { readUpstreamRecordings } from "../../src/scenario/conformance/readUpstreamRecordings.ts"
import type { UpstreamRecording } from "../../src/scenario/conformance/upstreamWorkload.ts"

/** A recording of a Deployment whose only Pod becomes ready; `readyPods` changes what the recording expects. */
export const recordedStory = ({ readyPods = 1 } = {}): UpstreamRecording => {
  const text = JSON.stringify(readStory("one.jsonl"))
  // The story comes from JSON and is of the same shape afterwards.
  return JSON.parse(text.replace(/("ready":)1(,"failed")/, `$1${readyPods}$2`)) as UpstreamRecording
}

/** A recording of a Job that fails when its containers have restarted too often. */
export const restartedJobStory = (): UpstreamRecording => readStory("restartedJob.jsonl")

const readStory = (file: string): UpstreamRecording => {
  const [story] = readUpstreamRecordings([resolve(import.meta.dirname, file)])
  if (story === undefined) throw new Error(`${file} is empty`)
  return story
}
