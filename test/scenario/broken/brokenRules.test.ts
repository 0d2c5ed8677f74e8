import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { brokenRules } from "./brokenRules.ts"
import { days } from "./days.ts"
import { failureMark } from "../../../src/scenario/shrinking/failureMark.ts"
import { storyYaml } from "../../../src/scenario/stories/reading/storyYaml.ts"
import type { BrokenRule } from "./brokenRules.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"
import type { StoryRun } from "../../../src/scenario/stories/storyRun.ts"

const seed = 1
const playsMax = 120
/** As many steps and faults as a person takes in at a glance. */
const partsMax = 3

/** The whole control plane, loaded anew with one of its rules broken. */
const load = async (rule?: BrokenRule) => {
  vi.resetModules()
  if (rule !== undefined) {
    vi.doMock(`../../../src/${rule.module}`, async (importReal: () => Promise<Record<string, unknown>>) => {
      const real = await importReal()
      return { ...real, ...rule.broken(real) }
    })
  }
  const { playStory } = await import("../../../src/scenario/stories/playing/playStory.ts")
  const { drawRandomFaults } = await import("../../../src/faults/randomFaults.ts")
  const { shrinkStory } = await import("../../../src/scenario/shrinking/shrinkStory.ts")
  const play = (story: Story): Effect.Effect<StoryRun | undefined> =>
    Effect.catchCause(playStory(story, seed), () => Effect.sync((): StoryRun | undefined => undefined))
  return {
    play: (story: Story) => Effect.runPromise(playStory(story, seed)),
    leastOf: (story: Story, run: StoryRun) => {
      const drawn = story.weather === undefined ? [] : drawRandomFaults(story.weather, seed)
      return Effect.runPromise(shrinkStory({ story, run, drawn, play, playsMax }))
    }
  }
}

/** The failure by which a rule is noticed, among others that it may lead to. */
const noticed = ({ caught }: BrokenRule, story: Story, run: StoryRun) =>
  run.failures.find(
    (failure) =>
      (failure.type === "violation" && failure.violation.rule === caught) ||
      failureMark(story, failure).startsWith(`${caught}: `)
  )

afterEach(() => {
  for (const { module } of brokenRules) vi.doUnmock(`../../../src/${module}`)
  vi.resetModules()
})

describe("a day of rollouts", () => {
  it.each(Object.values(days))("$name breaks no rule while every rule is whole", async (story) => {
    const { play } = await load()
    const run = await play(story)
    expect(run.failures).toEqual([])
    expect(run.outcome).toBe("passed")
  })

  it.each(brokenRules)("shows that $name, and comes down to a few lines", async (rule) => {
    const { play, leastOf } = await load(rule)
    const day = days[rule.day]
    const run = await play(day)
    const failure = noticed(rule, day, run)
    if (failure === undefined) throw new Error(`nothing noticed it: ${JSON.stringify(run.failures)}`)

    const { story, parts } = await leastOf(day, { ...run, failures: [failure] })
    expect(parts).toBeLessThanOrEqual(partsMax)
    // What is left fails by itself, and for the same reason.
    const again = await play(story)
    expect(again.failures.map((it) => failureMark(story, it))).toContain(failureMark(day, failure))
  })

  it("leaves of it what anybody can read", async () => {
    const rule = brokenRules.find(({ caught }) => caught === "recreate")
    if (rule === undefined) throw new Error("Recreate is broken by nobody")
    const { play, leastOf } = await load(rule)
    const run = await play(days.hard)
    const failure = noticed(rule, days.hard, run)
    const { story } = await leastOf(days.hard, { ...run, failures: failure === undefined ? [] : [failure] })
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
              replicas: 1
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
