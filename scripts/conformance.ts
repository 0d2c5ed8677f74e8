import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { traceStep, replayRecording } from "../src/scenario/conformance/replayRecording.ts"
import {
  UnreadableUpstreamRecordings,
  readUpstreamRecordings
} from "../src/scenario/conformance/readUpstreamRecordings.ts"
import type { ReplayDifference } from "../src/scenario/conformance/replayRecording.ts"
import type { UpstreamRecording } from "../src/scenario/conformance/recordedKind.ts"

/** Replays recorded rollouts: `npm run conformance -- FILE…`, files or folders of them. */

const recordingsDefault = resolve(import.meta.dirname, "../../shared/conformance")
/** The number of stories whose first difference is printed with the events and chart states before it. */
const explainedMax = 3

const line = ({ story, step, did, field, expected, found }: ReplayDifference): string =>
  `${story} step ${step} (${did}) ${field}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`

const explain = async (recording: UpstreamRecording, { step }: ReplayDifference): Promise<void> => {
  console.log(`  what led to step ${step} of ${recording.id}:`)
  for (const traceLine of await Effect.runPromise(traceStep(recording, step))) console.log(`    ${traceLine}`)
}

const main = async (paths: ReadonlyArray<string>): Promise<boolean> => {
  let passed = 0
  let failed = 0
  for (const recording of readUpstreamRecordings(paths.length > 0 ? paths : [recordingsDefault])) {
    const differences = await Effect.runPromise(replayRecording(recording))
    const [first] = differences
    if (first === undefined) {
      passed += 1
      continue
    }
    for (const difference of differences) console.log(line(difference))
    if (failed < explainedMax) await explain(recording, first)
    failed += 1
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0
}

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1
} catch (error) {
  if (!(error instanceof UnreadableUpstreamRecordings)) throw error
  console.error(error.message)
  process.exitCode = 2
}
