import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { traceStep, replayRecording } from "../../src/scenario/conformance/replayRecording.ts"
import {
  UnreadableUpstreamRecordings,
  readUpstreamRecordings
} from "../../src/scenario/conformance/readUpstreamRecordings.ts"
import type { ReplayDifference } from "../../src/scenario/conformance/replayRecording.ts"
import type { UpstreamRecording } from "../../src/scenario/conformance/upstreamWorkload.ts"

const recordingsDefault = resolve(import.meta.dirname, "../../../shared/conformance")
/** The number of stories whose first difference is printed with the events and chart states before it. */
const explainedMax = 3

const line = ({ story, step, did, field, expected, found }: ReplayDifference): string =>
  `${story} step ${step} (${did}) ${field}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`

const explain = async (
  recording: UpstreamRecording,
  { step }: ReplayDifference,
  print: Print
): Promise<void> => {
  print(`  what led to step ${step} of ${recording.id}:`)
  for (const traceLine of await Effect.runPromise(traceStep(recording, step))) print(`    ${traceLine}`)
}

type Print = (line: string) => void

/** Replays the recordings of these files and folders. Returns the exit code. */
export const runConformance = async (
  paths: ReadonlyArray<string>,
  { print, printError }: { readonly print: Print; readonly printError: Print }
): Promise<0 | 1 | 2> => {
  try {
    return (await replayAll(paths, print)) ? 0 : 1
  } catch (error) {
    if (!(error instanceof UnreadableUpstreamRecordings)) throw error
    printError(error.message)
    return 2
  }
}

const replayAll = async (paths: ReadonlyArray<string>, print: Print): Promise<boolean> => {
  let passed = 0
  let failed = 0
  for (const recording of readUpstreamRecordings(paths.length > 0 ? paths : [recordingsDefault])) {
    const differences = await Effect.runPromise(replayRecording(recording))
    const [first] = differences
    if (first === undefined) {
      passed += 1
      continue
    }
    for (const difference of differences) print(line(difference))
    if (failed < explainedMax) await explain(recording, first, print)
    failed += 1
  }
  print(`${passed} passed, ${failed} failed`)
  return failed === 0
}
