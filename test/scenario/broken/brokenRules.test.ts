import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { brokenRules } from "./brokenRules.ts"
import { days } from "./days.ts"
import type { BrokenRule } from "./brokenRules.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"
import type { StoryRun } from "../../../src/scenario/stories/storyRun.ts"

/** As many steps, faults and what they are about as a person reads at a glance. */
const partsMax = 3
const playsMax = 120
const seed = 1

/** The whole control plane, loaded anew with one of its rules broken. */
const load = async (rule?: BrokenRule) => {
  vi.resetModules()
  if (rule !== undefined) {
    vi.doMock(`../../../src/${rule.module}`, async (importReal: () => Promise<Record<string, unknown>>) => {
      const real = await importReal()
      return { ...real, ...rule.broken(real) }
    })
  }
  const { playStory } = await import("../../../src/scenario/stories/playStory.ts")
  const { drawWeather } = await import("../../../src/faults/weather.ts")
  const { shrink } = await import("../../../src/scenario/shrink.ts")
  const { failureMark } = await import("../../../src/scenario/failureMark.ts")
  const play = (story: Story): Promise<StoryRun> => Effect.runPromise(playStory(story, seed))
  return { play, playStory, drawWeather, shrink, failureMark }
}

const marksOf = (run: StoryRun): ReadonlyArray<string> =>
  run.failures.map((it) => (it.type === "violation" ? it.violation.rule : it.type))

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

  it.each(brokenRules)(
    "shows that $name",
    async (rule) => {
      const { play, playStory, drawWeather, shrink, failureMark } = await load(rule)
      const longStory = days[rule.day]
      const run = await play(longStory)
      const marks = run.failures.map((it) => failureMark(longStory, it))
      expect([...marksOf(run), ...marks]).toContain(rule.caught)

      const first = run.failures.find(
        (it) =>
          (it.type === "violation" && it.violation.rule === rule.caught) ||
          failureMark(longStory, it) === rule.caught
      )
      const { story, parts } = await Effect.runPromise(
        shrink({
          story: longStory,
          run: { ...run, failures: first === undefined ? [] : [first] },
          drawn: longStory.weather === undefined ? [] : drawWeather(longStory.weather, seed),
          playsMax,
          play: (candidate) =>
            Effect.catchCause(playStory(candidate), () => Effect.sync((): StoryRun | undefined => undefined))
        })
      )
      expect(parts).toBeLessThanOrEqual(partsMax)
      // What is left fails by itself, and for the same reason.
      const again = await play(story)
      expect(again.failures.map((it) => failureMark(story, it))).toContain(
        first === undefined ? "" : failureMark(longStory, first)
      )
    },
    120_000
  )
})
