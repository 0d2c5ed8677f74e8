import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { replay } from "../src/scenario/replay.ts"
import type { Recording } from "../src/scenario/recordings.ts"

const filesDefault = ["mixed", "recreate", "timed"].map((name) => `../shared/conformance/${name}.jsonl`)
const shownMax = 40

const files = process.argv.slice(2).length > 0 ? process.argv.slice(2) : filesDefault
let passed = 0
let failed = 0
let shown = 0
for (const file of files) {
  for (const line of readFileSync(file, "utf8")
    .split("\n")
    .filter((it) => it !== "")) {
    const recording = JSON.parse(line) as Recording
    const differences = await Effect.runPromise(replay(recording))
    if (differences.length === 0) passed += 1
    else failed += 1
    for (const { story, step, did, field, expected, found } of differences.slice(0, 4)) {
      if (shown >= shownMax) break
      shown += 1
      console.log(
        `${story} step ${step} (${did}) ${field}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`
      )
    }
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
