import { expect, it } from "vitest"
import { idleFaultLines } from "../../src/cli/run/storyLines.ts"
import { plainPalette } from "../../src/cli/terminal/palette.ts"
import { storyRun } from "../reports/runs.ts"
import type { FaultRun } from "../../src/scenario/stories/storyRun.ts"

const fault = (text: string, met: number | undefined, isRandom = false): FaultRun => {
  return { text, met, isRandom, beganMillis: 0, endedMillis: undefined }
}

it.for<readonly [why: string, runs: ReadonlyArray<ReadonlyArray<FaultRun>>, ...told: ReadonlyArray<string>]>([
  ["one that met nobody", [[fault("a", 0), fault("b", 2)]], "a"],
  ["with several seeds once", [[fault("a", 0)], [fault("a", 0)]], "a"],
  ["none that met somebody with another seed", [[fault("a", 0)], [fault("a", 1)]]],
  ["whatever became of runs that passed, of which nothing is known", [[fault("a", 0)], []], "a"],
  ["one of two that are the same", [[fault("a", 0), fault("a", 1)]], "a"],
  ["none that the seed has drawn", [[fault("a", 0, true)]]],
  ["none that meets nobody by its kind", [[fault("a", undefined)]]]
])("of faults that came to nothing is told %s", ([_why, runs, ...told]) => {
  const played = runs.map((faults) => storyRun({ faults }))
  const lines = told.map((text) => `  ${text}: it met nobody`)
  expect(idleFaultLines(played, plainPalette)).toEqual(lines)
})
