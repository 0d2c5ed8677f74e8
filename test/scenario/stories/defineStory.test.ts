import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { defineStory, InvalidStory, runStory } from "../../../src/scenario/stories/stories.ts"
import type { Story } from "../../../src/scenario/stories/story.ts"

const start = [deploymentManifest({ replicas: 3 })]

/** A story that the compiler would refuse. */
const untyped = (story: object): Story => story as Story

const problemsOf = (story: object): ReadonlyArray<string> => {
  try {
    defineStory(untyped({ name: "told", ...story }))
    return []
  } catch (error) {
    return error instanceof InvalidStory ? error.problems : [String(error)]
  }
}

describe("defineStory reports problems by the path of their field:", () => {
  it.each<readonly [why: string, story: object, ...problems: ReadonlyArray<string>]>([
    [
      "none of a valid story",
      { start, steps: [{ expect: "available = 3" }, { waitFor: () => true }], invariants: [() => true] }
    ],
    [
      "none of undefined fields",
      { start, seed: undefined, steps: [{ at: undefined, pause: "deployment/web" }] }
    ],
    ["none of expectFailure", { steps: [], expectFailure: "lost is" }],
    ["an empty expectFailure", { steps: [], expectFailure: "" }, "expectFailure must not be empty"],
    [
      "an expectFailure that is no text",
      { steps: [], expectFailure: 5 },
      "expectFailure must be text, not 5"
    ],
    ["an empty name", { name: "", steps: [] }, "name must not be empty"],
    [
      "several problems at once",
      {
        start,
        seed: 0.5,
        steps: [{ scale: "deployment/api", to: 3 }, { fault: "flop" }, { waitFor: "available" }]
      },
      "seed must be an integer",
      'steps[1].fault "flop" is not known; did you mean flap?',
      "steps[0].scale can never happen: no manifest before this creates deployment/api: there is deployment/web",
      'steps[2].waitFor "available" is no condition: available is compared with one of < <= > >= = !=, not nothing'
    ],
    [
      "a file name, which only YAML may have",
      { start: "web.yaml", steps: [] },
      "start must be an object: only stories in YAML name files"
    ],
    [
      "an object in place of a list",
      {
        start: deploymentManifest({}),
        steps: [{ apply: deploymentManifest({ version: "v2" }) }, { apply: [deploymentManifest({})] }]
      },
      "start must be a list of objects",
      "steps[0].apply must be a list of objects"
    ],
    [
      "an invalid manifest",
      { start: [{ ...deploymentManifest({}), spec: { replicas: "three" } }], steps: [] },
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32'
    ],
    [
      "an invariant that is a number",
      { start, steps: [], invariants: [3] },
      "invariants[0] must be text, not 3"
    ],
    [
      "a behaviour annotation without a behaviour",
      {
        start: [
          deploymentManifest({
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

it.each([null, "web.yaml", 3])("defineStory refuses %j", (story) => {
  expect(() => defineStory(story as never)).toThrow(`a story must be an object, not ${JSON.stringify(story)}`)
})

it("InvalidStory has all problems, a line each", () => {
  expect(() =>
    defineStory({ name: "odd", steps: [{ pause: "deployment/web" }, { delete: "service/web" }] })
  ).toThrow(
    'story "odd":\n' +
      "  steps[0].pause can never happen: no manifest before this creates deployment/web: there is no deployment at all\n" +
      "  steps[1].delete can never happen: no manifest before this creates service/web: there is no service at all"
  )
})

it("runStory refuses a story that was not defined with the same message", async () => {
  const story = untyped({ name: "odd", steps: [{ advance: "1s" }, { fault: "flop" }] })
  await expect(runStory(story)).rejects.toThrow(
    'story "odd":\n  steps[1].fault "flop" is not known; did you mean flap?'
  )
})
