import { expect, it } from "vitest"
import { makeRecentChanges } from "../../../../src/scenario/stories/playing/recentChanges.ts"
import { aPod } from "../../../builders.ts"
import type { Change } from "../../../../src/store/objectStore.ts"

it("recent changes are those since the story began", () => {
  const recent = makeRecentChanges()
  const object = aPod({ name: "web-1" })
  const change: Change = { type: "MODIFIED", resource: "pods", object, old: object, resourceVersion: 1 }
  recent.observe(change, 1000)
  recent.begin(1500)
  expect(recent.text(2000)).toBe("nothing has moved since it began")
  expect(recent.text(901_500)).toBe("nothing has moved in the last 15m")
  recent.observe(change, 3000)
  expect(recent.text(4000)).toMatch(/^what moved: pod\/shop\/web-1 once, last 1s ago/)
})
