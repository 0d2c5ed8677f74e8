import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { aManifest } from "../../builders.ts"
import { shrinkBy } from "./shrunkStory.ts"
import { isExpressibleInYaml, storyYaml } from "../../../src/scenario/stories/reading/storyYaml.ts"
import { violationFailure } from "../../reports/sampleRuns.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { StoryStep, Story } from "../../../src/scenario/stories/story.ts"
import type { StoryFailure } from "../../../src/scenario/stories/storyRun.ts"

const scaleTo = (step: StoryStep): number | undefined => ("scale" in step ? step.to : undefined)
const tooFewAvailable = (story: Story, text = "3", more: { readonly atMillis?: number } = {}): StoryFailure =>
  violationFailure({
    rule: "invariant",
    broken: `available >= 8: ${text} >= 8`,
    invariant: story.invariants?.indexOf("available >= 8") ?? -1,
    ...more
  })

/** Forty steps, one of which scales below the invariant. */
const long: Story = {
  name: "long",
  description: "What people do in a day.",
  nodes: 7,
  start: [aManifest("ConfigMap", { name: "settings" })],
  invariants: ["available >= 8", "existing <= 20"],
  limit: { time: "2h" },
  steps: Array.from({ length: 40 }, (_, index): StoryStep => {
    if (index === 23) return { scale: "deployment/web", to: 3, at: "4m7.123s" }
    if (index % 3 === 0) return { setImage: "deployment/web", images: { "*": `web:${index}` }, after: "10s" }
    return index % 3 === 1
      ? { waitFor: "deployment/web is complete" }
      : { scale: "deployment/web", to: 9 + index }
  })
}
const failsWhenFew = (story: Story): ReadonlyArray<StoryFailure> =>
  story.invariants?.includes("available >= 8") === true &&
  story.steps.some((step) => (scaleTo(step) ?? 9) < 8)
    ? [tooFewAvailable(story)]
    : []

describe("a story that violates an invariant", () => {
  it("is shrunk to the one step that matters, with the invariant and the seed", () => {
    const { story, stepsAndFaults, stepsAndFaultsBefore, isSmallest, plays } = shrinkBy(long, failsWhenFew)
    expect(story).toEqual({
      name: "long",
      seed: 17,
      invariants: ["available >= 8"],
      steps: [{ scale: "deployment/web", to: 3 }]
    })
    expect({ stepsAndFaults, stepsAndFaultsBefore, isSmallest }).toEqual({
      stepsAndFaults: 1,
      stepsAndFaultsBefore: 40,
      isSmallest: true
    })
    expect(plays).toBeLessThan(60)
  })

  it("is shrunk without its expectFailure", () => {
    const { story } = shrinkBy({ ...long, expectFailure: "lost is" }, failsWhenFew)
    expect(story).toEqual(shrinkBy(long, failsWhenFew).story)
  })

  it("is shrunk to the same story each time", () => {
    expect(shrinkBy(long, failsWhenFew)).toEqual(shrinkBy(long, failsWhenFew))
  })

  it("still fails when playsMax is reached, and is not marked least", () => {
    const { story, isSmallest, plays } = shrinkBy(long, failsWhenFew, { playsMax: 4 })
    expect({ isSmallest, plays }).toEqual({ isSmallest: false, plays: 4 })
    expect(failsWhenFew(story)).toHaveLength(1)
    expect(story.steps.length).toBeLessThan(40)
  })

  it("still fails when writesMax is reached", () => {
    const { story, isSmallest, plays, writes } = shrinkBy(long, failsWhenFew, { writesMax: 300 })
    expect({ isSmallest, plays, writes }).toEqual({ isSmallest: false, plays: 4, writes: 4 * 89 })
    expect(failsWhenFew(story)).toHaveLength(1)
  })

  it("keeps two steps that fail only together", () => {
    const needsBoth = (story: Story): ReadonlyArray<StoryFailure> =>
      failsWhenFew(story).length > 0 &&
      story.steps.some((step) => "setImage" in step && step.images["*"] === "web:3")
        ? [tooFewAvailable(story)]
        : []
    const { steps } = shrinkBy(long, needsBoth).story
    expect(steps).toEqual([
      { setImage: "deployment/web", images: { "*": "web:3" } },
      { scale: "deployment/web", to: 3 }
    ])
  })
})

describe("predicates of a shrunk story", () => {
  /** Predicates with the same source and another number each. */
  const below = (most: number) => () => most > 0
  const judgedBy =
    (failing: unknown) =>
    ({ invariants = [] }: Story): ReadonlyArray<StoryFailure> => {
      const invariant = invariants.findIndex((it) => it === failing)
      return invariant === -1 ? [] : [violationFailure({ rule: "invariant", invariant })]
    }
  it.for([0, 1, 2])(
    "are removed except the failing one, although all have the same source: number %i",
    (place) => {
      const invariants = [below(4), below(7), below(9)]
      const { story, isSmallest } = shrinkBy(
        { name: "three", invariants, steps: [] },
        judgedBy(invariants[place])
      )
      expect(story.invariants).toEqual([invariants[place]])
      expect(isSmallest).toBe(true)
    }
  )

  it("with the same source are not confused", () => {
    const invariants = [below(4), below(7)]
    const [first, second] = invariants.map(judgedBy)
    const judge = (story: Story): ReadonlyArray<StoryFailure> =>
      (story.steps.length === 2 ? first : second)?.(story) ?? []
    const { story } = shrinkBy(
      { name: "two", invariants, steps: [{ advance: "1s" }, { advance: "2s" }] },
      judge
    )
    expect(story.invariants).toEqual([invariants[0]])
    expect(story.steps).toHaveLength(2)
  })
})

describe("the replicas of a shrunk Deployment", () => {
  const story: Story = {
    name: "sizes",
    start: [
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web" },
        spec: { replicas: 64 }
      } as Draft
    ],
    steps: [{ scale: "deployment/web", to: 40 }]
  }
  const failsWith =
    (failure: StoryFailure) =>
    ({ start = [], steps }: Story): ReadonlyArray<StoryFailure> =>
      start.length > 0 && steps.length > 0 ? [failure] : []

  it("are reduced for a rule of Kubernetes", () => {
    const { start, steps } = shrinkBy(story, failsWith(violationFailure())).story
    expect(start).toMatchObject([{ spec: { replicas: 1 } }])
    expect(steps).toEqual([{ scale: "deployment/web", to: 1 }])
  })

  it("are kept for an invariant, which counts Pods", () => {
    const { start, steps } = shrinkBy(story, failsWith(tooFewAvailable(long))).story
    expect(start).toMatchObject([{ spec: { replicas: 64 } }])
    expect(steps).toEqual([{ scale: "deployment/web", to: 40 }])
  })
})

it("a story whose invariant fails from the start is no smaller story", () => {
  const failsEmpty = (story: Story): ReadonlyArray<StoryFailure> => {
    if (story.start === undefined)
      return story.invariants?.includes("available >= 8") === true
        ? [tooFewAvailable(story, "0", { atMillis: 0 })]
        : []
    return failsWhenFew(story)
  }
  expect(shrinkBy(long, failsEmpty).story).toMatchObject({ start: long.start, steps: [{ to: 3 }] })
})

it("a start that fails by itself is kept and simplified", () => {
  const startsBadly = ({ start = [] }: Story): ReadonlyArray<StoryFailure> =>
    start.length > 1 ? [violationFailure({ rule: "ceiling", atMillis: 0 })] : []
  const web = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas: 12 }
  } as Draft
  const { story, stepsAndFaults } = shrinkBy({ ...long, start: [web, web, web] }, startsBadly)
  expect(story).toEqual({
    name: "long",
    seed: 17,
    start: [web, web].map((it) => ({ ...it, spec: { replicas: 1 } })),
    steps: []
  })
  expect(stepsAndFaults).toBe(0)
})

describe("the random faults of a seed", () => {
  const crash = (count: number): Fault => ({
    fault: "crash",
    pods: { deployment: "web", count },
    for: "47.3s"
  })
  const drawn = [3, 5, 2, 4].map((count, index) => ({ atMillis: 61_234 * (index + 1), fault: crash(count) }))
  const story: Story = {
    name: "storm",
    steps: [{ waitFor: "deployment/web is complete" }],
    weather: { every: "1m", until: "5m", faults: [crash(3)] }
  }
  const failsWhenTwoCrash = ({ faults = [] }: Story): ReadonlyArray<StoryFailure> =>
    faults.some((fault) => fault.fault === "crash" && (fault.pods.count ?? 0) >= 2 && fault.for !== undefined)
      ? [violationFailure()]
      : []

  it("become faults at fixed times, reduced to the fewest and shortest", () => {
    const {
      story: least,
      stepsAndFaults,
      stepsAndFaultsBefore
    } = shrinkBy(story, failsWhenTwoCrash, { drawn })
    expect(least.weather).toBeUndefined()
    expect(least.faults).toEqual([{ fault: "crash", pods: { deployment: "web", count: 2 }, for: "1s" }])
    expect(least.steps).toEqual([])
    expect({ stepsAndFaults, stepsAndFaultsBefore }).toEqual({ stepsAndFaults: 1, stepsAndFaultsBefore: 5 })
  })

  it("stay random when the same faults at fixed times do not fail", () => {
    const failsByChance = ({ weather, faults = [] }: Story): ReadonlyArray<StoryFailure> =>
      weather !== undefined || faults.some(({ at }) => at === "1s") ? [violationFailure()] : []
    expect(shrinkBy(story, failsByChance, { drawn }).story.weather).toEqual(story.weather)
  })
})

describe("a different failure", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly other: StoryFailure }> = [
    { why: "another rule", other: violationFailure({ rule: "ceiling" }) },
    {
      why: "another invariant",
      other: violationFailure({ rule: "invariant", broken: "existing <= 20: 21 <= 20", invariant: 1 })
    },
    {
      why: "another invariant that differs by a number alone",
      other: violationFailure({ rule: "invariant", broken: "available >= 9: 3 >= 9", invariant: 2 })
    },
    { why: "a refused start", other: { type: "start", atMillis: 0, message: "web is invalid" } },
    { why: "a refused fault", other: { type: "fault", atMillis: 0, message: "there is no node-9" } },
    { why: "a step", other: { type: "step", step: 1, atMillis: 0, message: "it is refused" } },
    {
      why: "a story that does not settle",
      other: { type: "unsettled", atMillis: 9, message: "web is not complete" }
    }
  ]
  it.for(rows)("is not accepted in place of the original: $why", ({ other }) => {
    const judge = (story: Story): ReadonlyArray<StoryFailure> =>
      story.steps.length > 39 ? [tooFewAvailable(story)] : [other]
    const withThirdInvariant = { ...long, invariants: [...(long.invariants ?? []), "available >= 9"] }
    expect(shrinkBy(withThirdInvariant, judge).story.steps).toHaveLength(40)
  })

  it("is the same when only numbers in the sums differ", () => {
    const judge = (story: Story): ReadonlyArray<StoryFailure> =>
      story.steps.length === 0 || story.invariants === undefined
        ? []
        : [tooFewAvailable(story, String(story.steps.length % 8))]
    expect(shrinkBy(long, judge).story.steps).toHaveLength(1)
  })
})

describe("a failed step", () => {
  const expects = (why: string): StoryFailure => ({ type: "step", step: 1, atMillis: 9, message: why })
  const story: Story = {
    name: "expects",
    steps: [{ expect: "available = 6" }, { advance: "1s" }, { advance: "2s" }, { advance: "3s" }]
  }
  /** The steps left when the message is `whole` with all steps and `fewer` with fewer. */
  const stepsLeft = (whole: string, fewer: string): number => {
    const judge = ({ steps }: Story): ReadonlyArray<StoryFailure> => {
      if (steps[0] === undefined || !("expect" in steps[0])) return []
      return [expects(steps.length === 4 ? whole : fewer)]
    }
    return shrinkBy(story, judge).story.steps.length
  }
  it.for<readonly [why: string, whole: string, fewer: string, steps: number]>([
    ["another number", "deployment/web available is 3, not = 6", "deployment/web available is 4, not = 6", 4],
    ["another reason", "it did not come true within 5m: paused", "it did not come true within 5m: gone", 4],
    [
      "the same message",
      "deployment/web available is 3, not = 6",
      "deployment/web available is 3, not = 6",
      1
    ],
    [
      "another duration",
      "it did not come true within 1m30s: paused",
      "it did not come true within 5.5s: paused",
      1
    ],
    ["another Pod", "pod/web-5c48dcd94b-hf952 is not ready", "pod/web-6d7f9b8c5d-x2x2x is not ready", 1],
    [
      "another number of lost requests",
      "service/web lost is 7, not = 0",
      "service/web lost is 9, not = 0",
      1
    ],
    [
      "the same predicate at another index",
      "steps[3].expect does not hold",
      "steps[0].expect does not hold",
      1
    ]
  ])("of a smaller story is compared by its message: %s", ([_why, whole, fewer, steps]) => {
    expect(stepsLeft(whole, fewer)).toBe(steps)
  })
})

it("one refused fault is not accepted in place of another", () => {
  const story: Story = {
    name: "refused",
    steps: [],
    faults: ["node-8", "node-9"].map((node) => ({ at: "1s", fault: "nodeLost", node }))
  }
  const judge = ({ faults = [] }: Story): ReadonlyArray<StoryFailure> =>
    faults.map((it) => ({ type: "fault", atMillis: 1000, message: `no ${"node" in it ? it.node : ""}` }))
  expect(shrinkBy(story, judge).story.faults).toMatchObject([{ node: "node-8" }])
})

it("for, times and within are kept when removing them changes the failure", () => {
  const story: Story = {
    name: "quota",
    steps: [
      { fault: "quotaExhausted", for: "3m" },
      { fault: "writesRefused", of: "pod", code: 409, times: 7 },
      { waitFor: "deployment/web is complete", within: "10m" }
    ]
  }
  const judge = ({ steps }: Story): ReadonlyArray<StoryFailure> =>
    steps.length === 3 ? [{ type: "step", step: 3, atMillis: 600_000, message: "it did not come true" }] : []
  expect(shrinkBy(story, judge).story.steps).toEqual([
    { fault: "quotaExhausted", for: "1s" },
    { fault: "writesRefused", of: "pod", code: 409, times: 1 },
    { waitFor: "deployment/web is complete", within: "10m" }
  ])
})

describe("a story as YAML", () => {
  it("has every field of the story", () => {
    const { name, ...spec } = long
    expect(parse(storyYaml(long))).toEqual({
      apiVersion: "charthouse.dev/v1",
      kind: "Scenario",
      metadata: { name },
      spec: JSON.parse(JSON.stringify(spec)) as unknown
    })
  })

  it("names a function only, and cannot be run then", () => {
    const typed: Story = { name: "typed", steps: [{ waitFor: () => true }] }
    expect(storyYaml(typed)).toContain("- waitFor: (a predicate of TypeScript)\n")
    expect([typed, long].map(isExpressibleInYaml)).toEqual([false, true])
  })
})
