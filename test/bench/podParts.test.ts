import { describe, expect, it } from "vitest"
import { bundledModules, podPartOf, sumByPart } from "../../scripts/bench/podParts.ts"
import type { Calls } from "../../scripts/bench/podParts.ts"

describe("the part of a module", () => {
  it.each([
    ["dist/src/store/writes/writes.js", "store"],
    ["dist/machines/pod.js", "charts"],
    ["dist/src/compiler/macrostep.js", "compiler"],
    ["file:///a/node_modules/xstate/dist/raise.js", "XState"],
    ["file:///a/src/node_modules/effect/dist/internal/effect.js", "Effect"],
    ["file:///a/node_modules/pure-rand/index.js", "other packages"],
    ["dist/src/runtime/time/kernel.js", "time"],
    ["dist/src/runtime/kernel.js", "time"],
    ["dist/src/runtime/reconciler/reconciler.js", "runtime"],
    ["dist/src/controllers/scheduler/queue.js", "scheduler"],
    ["dist/src/controllers/scheduler.js", "scheduler"],
    ["dist/src/controllers/podController.js", "controllers"],
    ["dist/src/domain/kinds.js", "kubernetes"],
    ["dist/src/faults/fault.js", "rest of the project"],
    ["node:internal/timers", "Node"],
    ["evalmachine.<anonymous>", undefined]
  ])("of %s is %s, in this commit or before", (path, part) => {
    expect(podPartOf(path)).toBe(part)
  })
})

describe("a bundle", () => {
  it("has the module of each line named before it", () => {
    const { moduleAt } = bundledModules(
      "import x\n// dist/src/a.js\nf()\n// a comment\n// dist/src/b.js\ng()\n"
    )
    expect([0, 1, 2, 3, 4, 5].map(moduleAt)).toEqual([
      undefined,
      "dist/src/a.js",
      "dist/src/a.js",
      "dist/src/a.js",
      "dist/src/b.js",
      "dist/src/b.js"
    ])
  })
})

describe("a profile", () => {
  it("is summed up by part: native code counts to its caller, and waiting to none", () => {
    const calls = (
      [functionName, url, lineNumber]: readonly [string, string, number],
      self: number,
      children: ReadonlyArray<Calls> = []
    ): Calls => ({ callFrame: { functionName, url, lineNumber }, self, children })
    const root = calls(["(root)", "", -1], 0, [
      calls(["(idle)", "", -1], 1000),
      calls(["(program)", "", -1], 1),
      calls(["write", "file:///bundle.js", 1], 2, [
        calls(["set", "", -1], 4, [calls(["compare", "file:///bundle.js", 3], 8)]),
        calls(["(garbage collector)", "", -1], 16)
      ])
    ])
    const bundle = bundledModules("// dist/src/store/a.js\n\n// dist/machines/pod.js\n\n")
    expect(Object.fromEntries(sumByPart(root, () => bundle))).toEqual({
      Node: 1,
      store: 6,
      charts: 8,
      GC: 16
    })
  })
})
