import { expect, it } from "vitest"
import { linesOfFaultsWithoutEffect } from "../../../src/cli/run/storyLines.ts"
import { plainPalette } from "../../../src/cli/terminal/palette.ts"
import { storyRun } from "../../reports/sampleRuns.ts"
import type { FaultRun } from "../../../src/scenario/stories/storyRun.ts"

const fault = (text: string, met: number | undefined, isRandom = false): FaultRun => {
  return { text, met, isRandom, beganMillis: 0, endedMillis: undefined }
}

it.for<readonly [why: string, runs: ReadonlyArray<ReadonlyArray<FaultRun>>, ...texts: ReadonlyArray<string>]>(
  [
    ["one without a target", [[fault("a", 0), fault("b", 2)]], "a"],
    ["one with several seeds, once", [[fault("a", 0)], [fault("a", 0)]], "a"],
    ["none that met a target with another seed", [[fault("a", 0)], [fault("a", 1)]]],
    ["one if other runs have no record of faults", [[fault("a", 0)], []], "a"],
    ["one of two equal faults", [[fault("a", 0), fault("a", 1)]], "a"],
    ["no random fault", [[fault("a", 0, true)]]],
    ["no fault of a kind without targets", [[fault("a", undefined)]]]
  ]
)("of idle faults, the report names %s", ([_why, runs, ...texts]) => {
  const played = runs.map((faults) => storyRun({ faults }))
  const lines = texts.map((text) => `  ${text}: it affected nothing`)
  expect(linesOfFaultsWithoutEffect(played, plainPalette)).toEqual(lines)
})
