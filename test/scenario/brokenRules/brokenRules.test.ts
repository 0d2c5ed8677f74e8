import * as Effect from "effect/Effect"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { brokenRules } from "./brokenRules.ts"
import { rolloutStories } from "./rolloutStories.ts"
import { failureCauseText } from "../../../src/scenario/shrinking/failureCause.ts"
import { storyYaml } from "../../../src/scenario/stories/reading/storyYaml.ts"
import type { BrokenRule } from "./brokenRules.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"
import type { StoryRun } from "../../../src/scenario/stories/storyRun.ts"

const seed = 1
const playsMax = 120
/** The most steps and faults of a shrunk story. */
const partsMax = 3

/** The rule that is broken in the control plane below. */
let broken: BrokenRule | undefined

type Module = Readonly<Record<string, unknown>>
type AnyFunction = (...given: ReadonlyArray<unknown>) => unknown

/** The functions of a module that a rule breaks, which are the real ones while another rule is broken. */
const breakable = (real: Module, rules: ReadonlyArray<BrokenRule>): Module =>
  Object.fromEntries(
    rules.flatMap((rule) =>
      Object.keys(rule.mock(real)).map((name) => [
        name,
        (...given: ReadonlyArray<unknown>) => {
          const isBroken = broken !== undefined && broken.module === rule.module
          const functions = isBroken ? { ...real, ...broken?.mock(real) } : real
          return (functions[name] as AnyFunction)(...given)
        }
      ])
    )
  )

/** Loads the control plane with all rules breakable. */
const load = async () => {
  vi.resetModules()
  for (const [module, rules] of Map.groupBy(brokenRules, (rule) => rule.module)) {
    vi.doMock(`../../../src/${module}`, async (importReal: () => Promise<Module>) => {
      const real = await importReal()
      return { ...real, ...breakable(real, rules) }
    })
  }
  const { playStory } = await import("../../../src/scenario/stories/playing/playStory.ts")
  const { drawRandomFaults } = await import("../../../src/faults/randomFaults.ts")
  const { shrinkStory } = await import("../../../src/scenario/shrinking/shrinkStory.ts")
  const play = (story: Story): Effect.Effect<StoryRun | undefined> =>
    Effect.catchCause(playStory(story, seed), () => Effect.sync((): StoryRun | undefined => undefined))
  return {
    play: (story: Story) => Effect.runPromise(playStory(story, seed)),
    shrinkStory: (story: Story, run: StoryRun) => {
      const drawnFaults = story.weather === undefined ? [] : drawRandomFaults(story.weather, seed)
      return Effect.runPromise(shrinkStory({ story, run, drawnFaults, play, playsMax }))
    }
  }
}
const { play, shrinkStory } = await load()

/** The failure that shows the broken rule. */
const failureOf = ({ violates }: BrokenRule, story: Story, run: StoryRun) =>
  run.failures.find(
    (failure) =>
      (failure.type === "violation" && failure.violation.rule === violates) ||
      failureCauseText(story, failure).startsWith(`${violates}: `)
  )

afterEach(() => {
  broken = undefined
})
afterAll(() => {
  for (const { module } of brokenRules) vi.doUnmock(`../../../src/${module}`)
  vi.resetModules()
})

describe("a story of rollouts", () => {
  it.each(Object.values(rolloutStories))(
    "$name violates no rule with the real controllers",
    async (story) => {
      const run = await play(story)
      expect(run.failures).toEqual([])
      expect(run.outcome).toBe("passed")
    }
  )

  it.each(brokenRules)("detects that $name, and is shrunk to a few lines", async (rule) => {
    broken = rule
    const day = rolloutStories[rule.storyName]
    const run = await play(day)
    const failure = failureOf(rule, day, run)
    if (failure === undefined) throw new Error(`nothing noticed it: ${JSON.stringify(run.failures)}`)

    const { story, stepsAndFaults } = await shrinkStory(day, { ...run, failures: [failure] })
    expect(stepsAndFaults).toBeLessThanOrEqual(partsMax)
    // The shrunk story fails for the same reason.
    const again = await play(story)
    expect(again.failures.map((it) => failureCauseText(story, it))).toContain(failureCauseText(day, failure))
  })

  it("is shrunk to a readable story", async () => {
    const rule = brokenRules.find(({ violates }) => violates === "recreate")
    if (rule === undefined) throw new Error("no broken rule of Recreate")
    broken = rule
    const run = await play(rolloutStories.hard)
    const failure = failureOf(rule, rolloutStories.hard, run)
    const { story } = await shrinkStory(rolloutStories.hard, {
      ...run,
      failures: failure === undefined ? [] : [failure]
    })
    expect(storyYaml(story)).toMatchInlineSnapshot(`
      "apiVersion: charthouse.dev/v1
      kind: Scenario
      metadata:
        name: hardDay
      spec:
        seed: 1
        start:
          - apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: batch
              namespace: default
            spec:
              replicas: 1
              selector:
                matchLabels:
                  app: batch
              template:
                metadata:
                  labels:
                    app: batch
                spec:
                  containers:
                    - name: app
                      image: registry.example/app:1
              strategy:
                type: Recreate
        steps:
          - setImage: deployment/batch
            images:
              app: registry.example/app:2
      "
    `)
    expect((await play(story)).failures[0]).toMatchInlineSnapshot(`
      {
        "type": "violation",
        "violation": {
          "atMillis": 0,
          "broken": "old Pods = 0 before a new one is asked for: 1 = 0",
          "rule": "recreate",
          "subject": "default/batch",
          "sums": "old Pods still there: batch-5d7cc5f859 1",
          "what": "created ReplicaSet batch-5cd86476fd of 1",
          "who": "Deployment controller",
        },
      }
    `)
  })
})
