import { expect, it } from "vitest"
import { pauseForFrames } from "../../../src/page/source/pauseForFrames.ts"

it("lets other tasks run only once work has taken a while", async () => {
  let nowMillis = 0
  const happened: Array<string> = []
  const pause = pauseForFrames(() => nowMillis)
  const task = new Promise<void>((resolve) => {
    setImmediate(() => {
      happened.push("another task")
      resolve()
    })
  })
  await pause()
  happened.push("a little work")
  nowMillis += 20
  while (happened.length < 2) await pause()
  happened.push("more work")
  await task
  expect(happened).toEqual(["a little work", "another task", "more work"])
})
