import { describe, expect, it } from "vitest"
import { aManifest } from "../../cluster/worlds.ts"
import { defineStory, InvalidStory, runStory } from "../../../src/scenario/stories/stories.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"

const start = [aManifest({ replicas: 3 })]

/** What somebody may write who has no compiler. */
const untyped = (story: object): Story => story as Story

const problemsOf = (story: object): ReadonlyArray<string> => {
  try {
    defineStory(untyped({ name: "told", ...story }))
    return []
  } catch (error) {
    return error instanceof InvalidStory ? error.problems : [String(error)]
  }
}

describe("a story in a program is refused as one in a file is, by the path of its fields:", () => {
  it.each<readonly [why: string, story: object, ...problems: ReadonlyArray<string>]>([
    [
      "all is well",
      { start, steps: [{ expect: "available = 3" }, { waitFor: () => true }], invariants: [() => true] }
    ],
    [
      "what is undefined is left out",
      { start, seed: undefined, steps: [{ at: undefined, pause: "deployment/web" }] }
    ],
    ["a failure that is expected", { steps: [], expectFailure: "lost is" }],
    [
      "a failure in no words, and in what are none",
      { steps: [], expectFailure: "" },
      "expectFailure must not be empty"
    ],
    [
      "a failure that a pattern is to match",
      { steps: [], expectFailure: 5 },
      "expectFailure must be text, not 5"
    ],
    ["no name", { name: "", steps: [] }, "name must not be empty"],
    [
      "everything at once",
      {
        start,
        seed: 0.5,
        steps: [{ scale: "deployment/api", to: 3 }, { fault: "flop" }, { waitFor: "available" }]
      },
      "seed must be an integer",
      'steps[1].fault "flop" is not known; did you mean flap?',
      "steps[0].scale can never happen: no manifest brings deployment/api before this: there is deployment/web",
      'steps[2].waitFor "available" is no condition: available is compared with one of < <= > >= = !=, not nothing'
    ],
    [
      "a file, which only YAML has",
      { start: "web.yaml", steps: [] },
      "start must be an object: only stories in YAML name files"
    ],
    [
      "one object where lists belong",
      { start: aManifest({}), steps: [{ apply: aManifest({ version: "v2" }) }, { apply: [aManifest({})] }] },
      "start must be a list of objects",
      "steps[0].apply must be a list of objects"
    ],
    [
      "an object with something wrong in it",
      { start: [{ ...aManifest({}), spec: { replicas: "three" } }], steps: [] },
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32'
    ],
    [
      "a number that is no condition",
      { start, steps: [], invariants: [3] },
      "invariants[0] must be text, not 3"
    ],
    [
      "Pods that choose a behaviour which nobody has defined",
      {
        start: [
          aManifest({
            spec: {
              template: {
                metadata: { labels: { app: "web" }, annotations: { "charthouse.dev/behaviour": "slow" } },
                spec: { containers: [{ name: "a", image: "a" }] }
              }
            }
          })
        ],
        steps: []
      },
      'no behaviour is called "slow"; there are steady, instant, manual'
    ]
  ])("%s", (_why, story, ...problems) => {
    expect(problemsOf(story as object)).toEqual(problems)
  })
})

it.each([null, "web.yaml", 3])("a story that is %j is none", (story) => {
  expect(() => defineStory(story as never)).toThrow(`a story must be an object, not ${JSON.stringify(story)}`)
})

it("what is thrown has all of it, a line each", () => {
  expect(() =>
    defineStory({ name: "odd", steps: [{ pause: "deployment/web" }, { delete: "service/web" }] })
  ).toThrow(
    'story "odd":\n' +
      "  steps[0].pause can never happen: no manifest brings deployment/web before this: there is no deployment at all\n" +
      "  steps[1].delete can never happen: no manifest brings service/web before this: there is no service at all"
  )
})

it("one that nobody has defined is refused in the same words, and is not played", async () => {
  const story = untyped({ name: "odd", steps: [{ advance: "1s" }, { fault: "flop" }] })
  await expect(runStory(story)).rejects.toThrow(
    'story "odd":\n  steps[1].fault "flop" is not known; did you mean flap?'
  )
})
