import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { shrunk } from "./shrinkWorlds.ts"
import { isExpressibleInYaml, storyYaml } from "../../src/scenario/stories/reading/storyYaml.ts"
import { broken } from "../reports/runs.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { StoryStep, Story } from "../../src/scenario/stories/story.ts"
import type { StoryFailure } from "../../src/scenario/stories/storyRun.ts"

const scaleTo = (step: StoryStep): number | undefined => ("scale" in step ? step.to : undefined)
const fewWith = (story: Story, text = "3", more: { readonly atMillis?: number } = {}): StoryFailure =>
  broken({
    rule: "invariant",
    broken: `available >= 8: ${text} >= 8`,
    invariant: story.invariants?.indexOf("available >= 8") ?? -1,
    ...more
  })

/** Forty steps, of which one asks for too few. */
const long: Story = {
  name: "long",
  description: "What people do in a day.",
  nodes: 7,
  start: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } }],
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
    ? [fewWith(story)]
    : []

describe("a story that broke an invariant", () => {
  it("is shrunk to the one step that matters, with the invariant and the seed", () => {
    const { story, parts, partsBefore, isLeast, plays } = shrunk(long, failsWhenFew)
    expect(story).toEqual({
      name: "long",
      seed: 17,
      invariants: ["available >= 8"],
      steps: [{ scale: "deployment/web", to: 3 }]
    })
    expect({ parts, partsBefore, isLeast }).toEqual({ parts: 1, partsBefore: 40, isLeast: true })
    expect(plays).toBeLessThan(60)
  })

  it("is shrunk to one that fails when it is played, though it was to fail otherwise", () => {
    const { story } = shrunk({ ...long, expectFailure: "lost is" }, failsWhenFew)
    expect(story).toEqual(shrunk(long, failsWhenFew).story)
  })

  it("is shrunk to the same story each time", () => {
    expect(shrunk(long, failsWhenFew)).toEqual(shrunk(long, failsWhenFew))
  })

  it("still fails where the plays are used up, and says that there may be less", () => {
    const { story, isLeast, plays } = shrunk(long, failsWhenFew, { playsMax: 4 })
    expect({ isLeast, plays }).toEqual({ isLeast: false, plays: 4 })
    expect(failsWhenFew(story)).toHaveLength(1)
    expect(story.steps.length).toBeLessThan(40)
  })

  it("goes no further either when the writes of the plays are used up", () => {
    const { story, isLeast, plays, writes } = shrunk(long, failsWhenFew, { writesMax: 300 })
    expect({ isLeast, plays, writes }).toEqual({ isLeast: false, plays: 4, writes: 4 * 89 })
    expect(failsWhenFew(story)).toHaveLength(1)
  })

  it("keeps both of two steps that fail only together", () => {
    const needsBoth = (story: Story): ReadonlyArray<StoryFailure> =>
      failsWhenFew(story).length > 0 &&
      story.steps.some((step) => "setImage" in step && step.images["*"] === "web:3")
        ? [fewWith(story)]
        : []
    const { steps } = shrunk(long, needsBoth).story
    expect(steps).toEqual([
      { setImage: "deployment/web", images: { "*": "web:3" } },
      { scale: "deployment/web", to: 3 }
    ])
  })
})

describe("predicates", () => {
  /** The same words each time, and each of another number. */
  const below = (most: number) => () => most > 0
  const judgedBy =
    (failing: unknown) =>
    ({ invariants = [] }: Story): ReadonlyArray<StoryFailure> => {
      const invariant = invariants.findIndex((it) => it === failing)
      return invariant === -1 ? [] : [broken({ rule: "invariant", invariant })]
    }
  it.for([0, 1, 2])("go but for the one that fails, also where all read alike: the one at %i", (place) => {
    const invariants = [below(4), below(7), below(9)]
    const { story, isLeast } = shrunk({ name: "three", invariants, steps: [] }, judgedBy(invariants[place]))
    expect(story.invariants).toEqual([invariants[place]])
    expect(isLeast).toBe(true)
  })

  it("that read alike are not taken for one another", () => {
    const invariants = [below(4), below(7)]
    const [first, second] = invariants.map(judgedBy)
    const judge = (story: Story): ReadonlyArray<StoryFailure> =>
      (story.steps.length === 2 ? first : second)?.(story) ?? []
    const { story } = shrunk(
      { name: "two", invariants, steps: [{ advance: "1s" }, { advance: "2s" }] },
      judge
    )
    expect(story.invariants).toEqual([invariants[0]])
    expect(story.steps).toHaveLength(2)
  })
})

describe("the size of a Deployment", () => {
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

  it("becomes as small as may be where a rule of Kubernetes' own was broken", () => {
    const { start, steps } = shrunk(story, failsWith(broken())).story
    expect(start).toMatchObject([{ spec: { replicas: 1 } }])
    expect(steps).toEqual([{ scale: "deployment/web", to: 1 }])
  })

  it("stays where an invariant was, since that counts Pods", () => {
    const { start, steps } = shrunk(story, failsWith(fewWith(long))).story
    expect(start).toMatchObject([{ spec: { replicas: 64 } }])
    expect(steps).toEqual([{ scale: "deployment/web", to: 40 }])
  })
})

it("a world in which the invariant never held is no smaller story", () => {
  const failsEmpty = (story: Story): ReadonlyArray<StoryFailure> => {
    if (story.start === undefined)
      return story.invariants?.includes("available >= 8") === true
        ? [fewWith(story, "0", { atMillis: 0 })]
        : []
    return failsWhenFew(story)
  }
  expect(shrunk(long, failsEmpty).story).toMatchObject({ start: long.start, steps: [{ to: 3 }] })
})

it("a start that fails by itself is the answer, made as simple as may be", () => {
  const startsBadly = ({ start = [] }: Story): ReadonlyArray<StoryFailure> =>
    start.length > 1 ? [broken({ rule: "ceiling", atMillis: 0 })] : []
  const web = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas: 12 }
  } as Draft
  const { story, parts } = shrunk({ ...long, start: [web, web, web] }, startsBadly)
  expect(story).toEqual({
    name: "long",
    seed: 17,
    start: [web, web].map((it) => ({ ...it, spec: { replicas: 1 } })),
    steps: []
  })
  expect(parts).toBe(0)
})

describe("the weather of a seed", () => {
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
      ? [broken()]
      : []

  it("becomes faults at times of their own, of which the least that matters is left, round and short", () => {
    const { story: least, parts, partsBefore } = shrunk(story, failsWhenTwoCrash, { drawn })
    expect(least.weather).toBeUndefined()
    expect(least.faults).toEqual([{ fault: "crash", pods: { deployment: "web", count: 2 }, for: "1s" }])
    expect(least.steps).toEqual([])
    expect({ parts, partsBefore }).toEqual({ parts: 1, partsBefore: 5 })
  })

  it("stays what it is where the same faults at the same times do not fail", () => {
    const failsByChance = ({ weather, faults = [] }: Story): ReadonlyArray<StoryFailure> =>
      weather !== undefined || faults.some(({ at }) => at === "1s") ? [broken()] : []
    expect(shrunk(story, failsByChance, { drawn }).story.weather).toEqual(story.weather)
  })
})

describe("another failure", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly other: StoryFailure }> = [
    { why: "another rule", other: broken({ rule: "ceiling" }) },
    {
      why: "another invariant",
      other: broken({ rule: "invariant", broken: "existing <= 20: 21 <= 20", invariant: 1 })
    },
    {
      why: "another invariant that differs by a number alone",
      other: broken({ rule: "invariant", broken: "available >= 9: 3 >= 9", invariant: 2 })
    },
    { why: "a start that is refused", other: { type: "start", atMillis: 0, message: "web is invalid" } },
    { why: "a fault that cannot be", other: { type: "fault", atMillis: 0, message: "there is no node-9" } },
    { why: "a step", other: { type: "step", step: 1, atMillis: 0, message: "it is refused" } },
    {
      why: "a story that does not settle",
      other: { type: "unsettled", atMillis: 9, message: "web is not complete" }
    }
  ]
  it.for(rows)("is not taken for the one that is looked for: $why", ({ other }) => {
    const judge = (story: Story): ReadonlyArray<StoryFailure> =>
      story.steps.length > 39 ? [fewWith(story)] : [other]
    const several = { ...long, invariants: [...(long.invariants ?? []), "available >= 9"] }
    expect(shrunk(several, judge).story.steps).toHaveLength(40)
  })

  it("is the same where only the amounts of an invariant's sums differ", () => {
    const judge = (story: Story): ReadonlyArray<StoryFailure> =>
      story.steps.length === 0 || story.invariants === undefined
        ? []
        : [fewWith(story, String(story.steps.length % 8))]
    expect(shrunk(long, judge).story.steps).toHaveLength(1)
  })
})

describe("a step that failed", () => {
  const expects = (why: string): StoryFailure => ({ type: "step", step: 1, atMillis: 9, message: why })
  const story: Story = {
    name: "expects",
    steps: [{ expect: "available = 6" }, { advance: "1s" }, { advance: "2s" }, { advance: "3s" }]
  }
  /** What the expectation comes to while all steps are there, and with fewer of them. */
  const left = (whole: string, fewer: string): number => {
    const judge = ({ steps }: Story): ReadonlyArray<StoryFailure> => {
      if (steps[0] === undefined || !("expect" in steps[0])) return []
      return [expects(steps.length === 4 ? whole : fewer)]
    }
    return shrunk(story, judge).story.steps.length
  }
  it.for<readonly [why: string, whole: string, fewer: string, steps: number]>([
    ["another number", "deployment/web available is 3, not = 6", "deployment/web available is 4, not = 6", 4],
    ["another reason", "it did not come true within 5m: paused", "it did not come true within 5m: gone", 4],
    ["the same", "deployment/web available is 3, not = 6", "deployment/web available is 3, not = 6", 1],
    [
      "another time",
      "it did not come true within 1m30s: paused",
      "it did not come true within 5.5s: paused",
      1
    ],
    ["another Pod", "pod/web-5c48dcd94b-hf952 is not ready", "pod/web-6d7f9b8c5d-x2x2x is not ready", 1],
    [
      "as many requests as come in that time",
      "service/web lost is 7, not = 0",
      "service/web lost is 9, not = 0",
      1
    ],
    ["a predicate at another place", "steps[3].expect does not hold", "steps[0].expect does not hold", 1]
  ])("of a smaller story is told by its sentence: %s", ([_why, whole, fewer, steps]) => {
    expect(left(whole, fewer)).toBe(steps)
  })
})

it("one refused fault is not taken for another", () => {
  const story: Story = {
    name: "refused",
    steps: [],
    faults: ["node-8", "node-9"].map((node) => ({ at: "1s", fault: "nodeLost", node }))
  }
  const judge = ({ faults = [] }: Story): ReadonlyArray<StoryFailure> =>
    faults.map((it) => ({ type: "fault", atMillis: 1000, message: `no ${"node" in it ? it.node : ""}` }))
  expect(shrunk(story, judge).story.faults).toMatchObject([{ node: "node-8" }])
})

it("what keeps a fault or a wait small stays: without it another thing would fail", () => {
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
  expect(shrunk(story, judge).story.steps).toEqual([
    { fault: "quotaExhausted", for: "1s" },
    { fault: "writesRefused", of: "pod", code: 409, times: 1 },
    { waitFor: "deployment/web is complete", within: "10m" }
  ])
})

describe("a story as YAML", () => {
  it("has all that the story has", () => {
    const { name, ...spec } = long
    expect(parse(storyYaml(long))).toEqual({
      apiVersion: "charthouse.dev/v1",
      kind: "Scenario",
      metadata: { name },
      spec: JSON.parse(JSON.stringify(spec)) as unknown
    })
  })

  it("only names what is a function, and is then no story that can be run", () => {
    const typed: Story = { name: "typed", steps: [{ waitFor: () => true }] }
    expect(storyYaml(typed)).toContain("- waitFor: (a predicate of TypeScript)\n")
    expect([typed, long].map(isExpressibleInYaml)).toEqual([false, true])
  })
})
